/** Builds the player into one script that a page can hold inline; three.js and the stage are in it. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Copies of three.js carry its copyright and permission notice. */
const notice: Plugin = {
  name: "notice",
  generateBundle(_, bundle) {
    const text = `/*! three.js\n${readFileSync(here("node_modules/three/LICENSE"), "utf-8").trim()}\n*/\n`;
    for (const chunk of Object.values(bundle)) if (chunk.type === "chunk") chunk.code = text + chunk.code;
  },
};

export default defineConfig({
  publicDir: false,
  plugins: [notice],
  build: {
    target: "es2022",
    outDir: here("../src/segue/pictures/player/built"),
    emptyOutDir: true,
    reportCompressedSize: true,
    lib: { entry: here("player/src/main.ts"), formats: ["iife"], name: "seguePlayer", fileName: () => "player.js" },
  },
});
