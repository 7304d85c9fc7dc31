import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const LICENSE = fileURLToPath(new URL("node_modules/three/LICENSE", import.meta.url));

/** Copies of three.js carry its copyright and permission notice: whatever is built with it begins with them. */
export const notice: Plugin = {
  name: "notice",
  generateBundle(_, bundle) {
    const text = `/*! three.js\n${readFileSync(LICENSE, "utf-8").trim()}\n*/\n`;
    for (const chunk of Object.values(bundle)) if (chunk.type === "chunk") chunk.code = text + chunk.code;
  },
};
