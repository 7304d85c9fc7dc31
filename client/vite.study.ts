/** Builds the page of a study: one document, one script, one style sheet, nothing fetched from elsewhere. */

import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { notice } from "./vite.notice";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [notice],
  root: here("study/page"),
  publicDir: false,
  base: "/",
  build: {
    target: "es2022",
    outDir: here("../src/segue/study/page"),
    emptyOutDir: true,
    modulePreload: false,
    chunkSizeWarningLimit: 1500,
    rollupOptions: {
      output: { entryFileNames: "study.js", assetFileNames: "study[extname]", chunkFileNames: "[name].js" },
    },
  },
});
