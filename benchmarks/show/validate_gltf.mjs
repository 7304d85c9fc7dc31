// Runs Khronos' glTF validator over files: node validate_gltf.mjs FOLDER_WITH_NODE_MODULES FILE...
// Prints one JSON object: file to {errors, warnings, infos, hints, messages}.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

const [home, ...files] = process.argv.slice(2);
const validator = createRequire(join(home, "package.json"))("gltf-validator");
const out = {};
for (const file of files) {
  const report = await validator.validateBytes(new Uint8Array(await readFile(file)), { maxIssues: 100 });
  const { numErrors, numWarnings, numInfos, numHints, messages } = report.issues;
  out[file] = { errors: numErrors, warnings: numWarnings, infos: numInfos, hints: numHints, messages };
}
console.log(JSON.stringify(out));
