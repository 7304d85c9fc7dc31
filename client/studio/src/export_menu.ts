/** Export of the motion on the stage, and import of dropped files. */

import { call, importFile } from "./api";
import { h, icon, put } from "./dom";
import type { StageView } from "./stage_view";
import type { Store } from "./store";
import { fail, tell } from "./toast";

const TITLES: Record<string, string> = {
  ".bvh": "BVH",
  ".glb": "GLB, with a mannequin",
  ".fbx": "FBX",
  ".csv": "Table of rotations",
  ".npz": "Arrays of NumPy",
  ".json": "Record alone",
  ".html": "Player, one page",
};
const FIRST = [".bvh", ".glb", ".fbx", ".html", ".json", ".npz", ".csv"];

/** Return a file name that the server accepts. */
export function fileName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{N}\-. ()+@,_]/gu, "_").replace(/^[. ]+|[. ]+$/g, "");
  return (plain || "motion").slice(0, 80);
}

export function exportMenu(view: StageView, store: Store): HTMLElement {
  const menu = h("div", { class: "menu", role: "menu", hidden: true });
  const button = h(
    "button",
    { class: "primary", "aria-haspopup": "menu", "aria-expanded": "false", onclick: () => toggle() },
    "Export",
    icon("chevron", 14),
  );
  const toggle = (open = menu.hidden): void => {
    menu.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (open) draw();
  };
  const write = async (word: string, name: string, format: string, replace = false): Promise<void> => {
    toggle(false);
    try {
      const done = await call("export", { word, name, format, replace });
      const file = done.files.find((one) => one.endsWith(format)) ?? done.files[0];
      tell(`${done.files.join(" and ")} in ${done.folder}`, {
        way: {
          word: "Save a copy",
          go: () => h("a", { href: `/exports/${encodeURIComponent(file)}`, download: file }).click(),
        },
      });
    } catch (error) {
      if (error instanceof Error && error.message.includes("is there already")) {
        tell(error.message, { bad: true, way: { word: "Replace it", go: () => void write(word, name, format, true) } });
      } else fail(error);
    }
  };
  const draw = (): void => {
    const main = view.main;
    if (!main) {
      put(menu, h("p", { class: "faint" }, view.mode === "live" ? "Keep the run first; then it can be exported." : "There is no motion on the stage yet."));
      return;
    }
    const name = h("input", { type: "text", value: fileName(main.head.name), "aria-label": "name of the file", maxlength: "80" });
    const formats = [...new Set([...(store.project?.formats ?? []), ".json", ".html"])];
    const shown = FIRST.filter((format) => formats.includes(format));
    put(
      menu,
      h("label", { class: "field" }, h("span", { class: "faint" }, "Name"), name),
      ...shown.map((format) =>
        h(
          "button",
          { role: "menuitem", onclick: () => void write(main.word, fileName(name.value), format) },
          TITLES[format] ?? format,
          h("small", {}, format),
        ),
      ),
    );
  };
  addEventListener("pointerdown", (event) => {
    if (!menu.hidden && !box.contains(event.target as Node)) toggle(false);
  });
  const box = h("div", { class: "menu-box" }, button, menu);
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      toggle(false);
      button.focus();
    }
  });
  return box;
}

/** Import files, companions (an .asf of an .amc) first. */
export async function bring(files: readonly File[], store: Store): Promise<void> {
  const companions = [".asf", ".xml", ".bin"];
  const rank = (file: File): number => (companions.some((end) => file.name.toLowerCase().endsWith(end)) ? 0 : 1);
  const added: string[] = [];
  for (const file of [...files].sort((one, other) => rank(one) - rank(other))) {
    try {
      const done = await importFile(file);
      added.push(...done.added);
      for (const why of done.skipped) tell(why, { bad: true });
    } catch (error) {
      fail(error);
    }
  }
  if (!added.length) return;
  try {
    store.replace(await call("project", {}));
  } catch (error) {
    fail(error);
  }
  tell(added.length === 1 ? `${added[0]} is here.` : `${added.length} clips are here.`);
  store.set({ tab: "clips", clip: added[0], search: "", tag: "" });
}
