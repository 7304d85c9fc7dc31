/** Create elements in one call; text is always inserted as text, never as markup. */

type Child = Node | string | null;

/** Create an HTML element with attributes (`class`, `aria-label` ...) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

const SHAPES = {
  play: ["M7 4.5v15l12.5-7.5z"],
  pause: ["M6.5 4.5h4v15h-4z", "M13.5 4.5h4v15h-4z"],
  back: ["M5 5h2.4v14H5z", "M19 5v14L8.5 12z"],
  next: ["M16.6 5H19v14h-2.4z", "M5 5v14l10.5-7z"],
} as const;

const LINES = {
  loop: ["M17 3l3 3-3 3", "M4 11V9a3 3 0 0 1 3-3h13", "M7 21l-3-3 3-3", "M20 13v2a3 3 0 0 1-3 3H4"],
  trails: ["M3 17c4-9 7 3 10-4s5-6 8-5"],
  feet: ["M8.5 3c-2 0-3.2 2.2-3 5 .2 3 1.2 4 1.2 6h4c0-2 1-3 1-6 0-3-1.200-5-3.200-5z", "M6.900 17.500h3.800c0 2-.7 3.500-1.900 3.500s-1.900-1.500-1.900-3.500z", "M16 6v9", "M19.500 8v6"],
  onion: ["M9 12a6 6 0 1 0 12 0 6 6 0 1 0-12 0", "M12.500 17.700A6 6 0 1 1 12.500 6.300", "M8 17.500a6 6 0 0 1 0-11"],
  follow: ["M12 3v4M12 17v4M3 12h4M17 12h4", "M8 12a4 4 0 1 0 8 0 4 4 0 1 0-8 0"],
  theme: ["M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z"],
  help: ["M9.200 9a2.900 2.900 0 1 1 4 2.700c-.8.4-1.200.9-1.200 1.900v.4", "M12 17.500v.1", "M3 12a9 9 0 1 0 18 0 9 9 0 1 0-18 0"],
  seams: ["M12 3l5 9-5 9-5-9z"],
  close: ["M6 6l12 12M18 6L6 18"],
} as const;

export type IconName = keyof typeof SHAPES | keyof typeof LINES;

/** Create an icon of 24 x 24 in the colour of the surrounding text. */
export function icon(name: IconName): SVGSVGElement {
  const made = document.createElementNS(SVG, "svg");
  made.setAttribute("viewBox", "0 0 24 24");
  made.setAttribute("aria-hidden", "true");
  const filled = name in SHAPES;
  made.setAttribute("class", filled ? "icon filled" : "icon");
  const paths: readonly string[] = filled
    ? SHAPES[name as keyof typeof SHAPES]
    : LINES[name as keyof typeof LINES];
  for (const path of paths) {
    const one = document.createElementNS(SVG, "path");
    one.setAttribute("d", path);
    made.append(one);
  }
  return made;
}
