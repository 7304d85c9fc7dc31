import { describe, expect, it } from "vitest";
import { keysOf, placeWord, shownChoice } from "../src/keys";

describe("keys of choices", () => {
  it("counts words from 1 and gives two of them arrows", () => {
    expect([...keysOf(["first", "second"])]).toEqual([["1", "first"], ["2", "second"], ["ArrowLeft", "first"], ["ArrowRight", "second"]]);
  });
  it("lets a number be its own key", () => {
    expect([...keysOf(["0", "1", "2"]).keys()]).toEqual(["0", "1", "2"]);
    expect(keysOf(["3", "4"]).get("3")).toBe("3");
  });
});

describe("words", () => {
  it("names what is chosen by what was shown", () => {
    expect([shownChoice("first", "jnd"), shownChoice("second", "preference"), shownChoice("first", "check"), shownChoice("natural", "verdict")]).toEqual([
      "First pair",
      "Second motion",
      "First",
      "natural",
    ]);
  });
  it("names a motion by its place", () => {
    expect(placeWord([[0, 1], [2, 3]], 1, 0)).toBe("Second pair, first motion");
    expect(placeWord([[0], [1]], 1, 0)).toBe("Second motion");
    expect(placeWord([[0]], 0, 0)).toBe("");
  });
});
