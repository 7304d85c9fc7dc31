/** Colours of the stage in both themes; left and right have the colours of all pictures of the project. */

export type ThemeName = "dark" | "light";

export interface Theme {
  readonly left: string;
  readonly right: string;
  readonly trunk: string;
  readonly planted: string;
  readonly seam: string;
  readonly blend: string;
  readonly background: string;
  readonly glow: string;
  readonly line: string;
  readonly shadow: number;
  /** Intensity of the ambient light, and of the lamp that casts the shadow. */
  readonly sky: number;
  readonly lamp: number;
  readonly before: string;
  readonly after: string;
}

export const THEMES: Readonly<Record<ThemeName, Theme>> = {
  dark: {
    left: "#ec7a3d",
    right: "#3f8fd8",
    trunk: "#a3acbb",
    planted: "#35c976",
    seam: "#f06292",
    blend: "#e8b93a",
    background: "#12151a",
    glow: "#262c36",
    line: "#4a5361",
    shadow: 0.5,
    sky: 1.25,
    lamp: 2.0,
    before: "#5b86c4",
    after: "#c98a5e",
  },
  light: {
    left: "#e0672c",
    right: "#2f79b8",
    trunk: "#7d8694",
    planted: "#12a150",
    seam: "#c2185b",
    blend: "#d79a12",
    background: "#e3e7ec",
    glow: "#fafbfc",
    line: "#aab2bd",
    shadow: 0.26,
    sky: 1.75,
    lamp: 1.75,
    before: "#5b86c4",
    after: "#c98a5e",
  },
};
