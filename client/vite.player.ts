/** Builds the player into one script that a page can hold inline; three.js and the stage are in it. */

import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

import { notice } from "./vite.notice";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

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
