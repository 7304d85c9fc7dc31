/** Creation of elements. Text is always inserted as text, never as markup. */

type Child = Node | string | null | undefined | false;
type Value = string | number | boolean | null | undefined | ((event: never) => void);

/** Make an element: `on...` are listeners, all others (`class`, `data-...`) attributes; false and null omit one. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  words: Record<string, Value> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(words)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name.slice(2), value as EventListener);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  put(made, ...children);
  return made;
}

/** Replace all children. */
export function put(parent: Element, ...children: Child[]): void {
  parent.replaceChildren(...children.filter((child): child is Node | string => !!child || child === ""));
}

const ICONS = {
  play: "M7 4.5v15l12.5-7.5z",
  pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z",
  back: "M6 5h2.6v14H6zM19 5v14l-9.5-7z",
  forward: "M15.4 5H18v14h-2.600zM5 5v14l9.5-7z",
  swap: "M7 7h11l-3.5-3.5 1.4-1.400L22 8l-6.1 5.9-1.4-1.400L18 9H7zM17 17H6l3.5 3.5-1.4 1.400L2 16l6.1-5.9 1.4 1.400L6 15h11z",
  warn: "M12 3 1.8 21h20.400zM12 9.500l.9 6h-1.800zM11 17h2v2h-2z",
  close: "M6.4 5 12 10.6 17.6 5 19 6.4 13.4 12 19 17.6 17.6 19 12 13.4 6.4 19 5 17.6 10.6 12 5 6.400z",
  chevron: "M6 9l6 6 6-6-1.4-1.400L12 12.2 7.4 7.600z",
  sun: "M12 7.500a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM11 1.500h2v3.500h-2zM11 19h2v3.500h-2zM1.5 11H5v2H1.500zM19 11h3.500v2H19zM4 5.4 5.4 4l2.5 2.5-1.4 1.400zM16.1 17.500l1.4-1.400L20 18.6 18.6 20zM4 18.600l2.5-2.5 1.4 1.400L5.4 20zM16.1 6.5 18.6 4 20 5.400l-2.5 2.500z",
  moon: "M20 14.500A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.500z",
  plus: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
  minus: "M5 11h14v2H5z",
  undo: "M9 4 3.500 9.500 9 15v-4h5a4 4 0 0 1 0 8H8v2h6a6 6 0 0 0 0-12H9z",
  redo: "M15 4l5.500 5.500L15 15v-4h-5a4 4 0 0 0 0 8h6v2h-6a6 6 0 0 1 0-12h5z",
  fit: "M3 5h2v14H3zM19 5h2v14h-2zM6.500 12 10 8.500V11h4V8.500l3.500 3.500-3.500 3.500V13h-4v2.500z",
  pen: "M4 16.500V20h3.500L18 9.500 14.500 6zM16 4.500 19.500 8 21 6.500 17.500 3z",
  bin: "M9 3h6v2h5v2H4V5h5zM6 9h12l-1 12H7zm3.500 2v8h1.500v-8zm4 0v8H15v-8z",
  keyboard: "M2 6h20v12H2zm3 3v1.800h1.800V9zm3.5 0v1.800h1.800V9zM12 9v1.800h1.800V9zm3.5 0v1.800h1.800V9zM7 14v1.800h10V14z",
  reset: "M12 5V1.500L7 6l5 4.500V7a5 5 0 1 1-4.9 6H5a7 7 0 1 0 7-8z",
  loop: "M7 7h9v2.500L20.5 6 16 2.500V5H5v6h2zM17 17H8v-2.500L3.5 18 8 21.500V19h11v-6h-2z",
  download: "M11 3h2v9.200l3.3-3.3 1.4 1.400L12 16l-5.7-5.7 1.4-1.4 3.3 3.300zM4 18h16v2.500H4z",
  gamepad: "M7 7h10a5 5 0 0 1 5 5.500c-.3 3.2-1.2 5.5-3.2 5.5-1.6 0-2.4-2.5-3.8-2.500H9C7.6 15.5 6.8 18 5.2 18 3.2 18 2.3 15.7 2 12.500A5 5 0 0 1 7 7zm-.8 2.800v1.600H4.600V13h1.600v1.600h1.600V13h1.600v-1.600H7.800V9.800zM16 9.500a1.2 1.2 0 1 0 0 2.4 1.2 1.2 0 0 0 0-2.400zm2.6 2.500a1.2 1.2 0 1 0 0 2.4 1.2 1.2 0 0 0 0-2.400z",
} as const;

export type IconName = keyof typeof ICONS;

/** Create an icon as an inline SVG. */
export function icon(name: IconName, size = 16): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("width", String(size));
  svg.setAttribute("height", String(size));
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("icon");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", ICONS[name]);
  path.setAttribute("fill", "currentColor");
  svg.append(path);
  return svg;
}

/** Format seconds as mm:ss.hh. */
export function clock(seconds: number): string {
  const whole = Math.max(seconds, 0);
  const minutes = Math.floor(whole / 60);
  const rest = (whole - 60 * minutes).toFixed(2).padStart(5, "0");
  return `${String(minutes).padStart(2, "0")}:${rest}`;
}

/** Format a number with `most` significant digits, or fewer. */
export function digits(value: number, most = 3): string {
  if (!Number.isFinite(value)) return "–";
  if (value !== 0 && Math.abs(value) < 1e-4) return value.toExponential(1);
  if (Math.abs(value) >= 1e5) return value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 });
  return Number(value.toPrecision(most)).toLocaleString("en", { maximumFractionDigits: 8 });
}

/** Capitalize a text, unless it begins with the name of a file or a joint. */
export function capital(text: string): string {
  return /^[a-z]+('[a-z]+)?[\s,;:]/.test(text) && !/^\S+:\d/.test(text) ? `${text[0].toUpperCase()}${text.slice(1)}` : text;
}

/** Capitalize a text and end it with a full stop. */
export function sentence(text: string): string {
  return text ? `${capital(text)}${/[.!?…]$/.test(text) ? "" : "."}` : "";
}

/** Format a count with its noun in singular or plural. */
export function counted(number: number, thing: string): string {
  return `${number} ${number === 1 ? thing : `${thing}s`}`;
}

/** Return a role or foot part in words. */
export function words(role: string): string {
  return role.replaceAll("_", " ");
}

/** Limit a function to one call an animation frame. */
export function perFrame(work: () => void): () => void {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      work();
    });
  };
}

/** Delay a call until no further one was requested for some milliseconds. */
export function settled<A extends unknown[]>(work: (...words: A) => void, milliseconds: number): (...words: A) => void {
  let timer = 0;
  return (...given: A) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...given), milliseconds) as unknown as number;
  };
}
