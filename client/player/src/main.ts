/**
 * `<segue-player>`: plays the film that it contains as `<script type="application/json">`.
 *
 * Attributes: `compact` omits header and list of seams, `theme` is `dark`, `light` or `auto` (the page's or the
 * system's), `autoplay` starts automatically. A picture inside is shown until the film plays, and remains where it
 * cannot. The stage is created when the element comes into view and freed when it is far out of view, because browsers
 * limit the number of WebGL contexts a page.
 */

import type { ThemeName } from "../../stage/src/index";
import { h } from "./dom";
import { reelsOf, type Film, type Reel } from "./film";
import { Player } from "./player";
import { STYLE } from "./style";

export class SeguePlayer extends HTMLElement {
  player: Player | null = null;
  private film: Film | null = null;
  private reels: Reel[] | null = null;
  private chosen: ThemeName | null = null;
  private readonly box = h("div", { class: "box" });
  private observers: { disconnect(): void }[] = [];
  private seconds = 0;
  private starting = false;

  connectedCallback(): void {
    if (!this.shadowRoot) this.furnish();
    if (!this.hasAttribute("tabindex")) this.tabIndex = 0;
    const seen = new IntersectionObserver(
      ([entry]) => void (entry.isIntersecting ? this.begin() : this.end()),
      { rootMargin: "200px" },
    );
    seen.observe(this);
    const page = new MutationObserver(() => this.applyTheme());
    page.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    page.observe(document.body, { attributes: true, attributeFilter: ["data-theme"] });
    this.observers = [seen, page];
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.applyTheme());
    this.applyTheme();
  }

  disconnectedCallback(): void {
    for (const one of this.observers) one.disconnect();
    this.end();
  }

  private furnish(): void {
    const root = this.attachShadow({ mode: "open", delegatesFocus: true });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    root.append(h("div", { class: "still" }, h("slot")), this.box);
  }

  private async begin(): Promise<void> {
    if (this.player || this.starting) return;
    this.starting = true;
    try {
      this.film ??= JSON.parse(this.querySelector("script")?.textContent ?? "null") as Film;
      this.reels ??= await reelsOf(this.film);
      if (!this.isConnected) return;
      const player = new Player(this.film, this.reels, this.theme(), (theme) => {
        this.chosen = theme;
        this.applyTheme();
      });
      this.box.replaceChildren(player.element);
      player.start();
      player.seek(this.seconds);
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (this.hasAttribute("autoplay") && !calm) player.togglePlay();
      this.player = player;
      this.dispatchEvent(new Event("ready"));
    } catch (error) {
      this.fail(error);
    } finally {
      this.starting = false;
    }
  }

  private end(): void {
    if (!this.player) return;
    this.seconds = this.player.clock.seconds;
    this.player.stop();
    this.player = null;
    this.box.replaceChildren();
  }

  /** Keep the picture inside if there is one, else show a message. */
  private fail(error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    console.error(error);
    this.setAttribute("data-fault", why);
    this.box.replaceChildren();
    if (this.querySelector("img")) return;
    const words = `This motion cannot be shown here: ${why}. A browser of the last three years with WebGL plays it.`;
    this.box.append(h("div", { class: "fault" }, words));
  }

  private theme(): ThemeName {
    if (this.chosen) return this.chosen;
    const wanted = this.getAttribute("theme") ?? "auto";
    if (wanted === "dark" || wanted === "light") return wanted;
    const page = document.body.dataset.theme ?? document.documentElement.dataset.theme;
    if (page === "dark" || page === "light") return page;
    return matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
  }

  private applyTheme(): void {
    const theme = this.theme();
    this.dataset.theme = theme;
    this.player?.setTheme(theme);
  }
}

if (!customElements.get("segue-player")) customElements.define("segue-player", SeguePlayer);
