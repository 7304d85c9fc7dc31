/** Style sheet of the player, for its own page, notebook cells and documentation pages. */

export const STYLE = /* css */ `
:host { display: block; position: relative; min-height: 15rem; contain: content; font: 13px/1.45 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; --left:#ec7a3d; --right:#3f8fd8; --planted:#35c976; --seam:#f06292; --blend:#e8b93a;
  --ground:#14171c; --panel:#1b1f26; --raised:#262c35; --edge:#2d343f; --ink:#eef1f5; --soft:#a3adba; --faint:#737d8b; --accent:#f06292; --on-accent:#2a0d18; }
:host([data-theme="light"]) { --left:#d9632f; --right:#2b6ea6; --planted:#12a150; --seam:#c2185b; --blend:#d79a12;
  --ground:#e9ecf0; --panel:#ffffff; --raised:#eef1f4; --edge:#d9dee5; --ink:#1d2229; --soft:#545e6b; --faint:#737d8b; --accent:#c2185b; --on-accent:#ffffff; }
:host([hidden]) { display: none; }
*, *::before, *::after { box-sizing: border-box; }
.player { display: grid; grid-template: auto minmax(0, 1fr) auto auto / minmax(0, 1fr) auto; height: 100%; min-height: inherit; background: var(--ground); color: var(--ink); outline: none; overflow: hidden; }
:host(:focus-visible) { outline: 2px solid var(--accent); outline-offset: -2px; }
header { grid-area: 1 / 1 / 2 / 3; display: flex; align-items: center; gap: .75rem; padding: .5rem .9rem; background: var(--panel); border-bottom: 1px solid var(--edge); min-width: 0; }
header .mark { color: var(--accent); font-weight: 700; font-size: 1.06rem; letter-spacing: -.01em; }
header .title { font-weight: 600; font-size: 1rem; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; min-width: 0; }
header .note { color: var(--soft); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; flex: 1; min-width: 0; font-variant-numeric: tabular-nums; }
.stages { grid-area: 2 / 1 / 3 / 2; display: grid; grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); gap: 1px; background: var(--edge); min-height: 0; min-width: 0; position: relative; }
figure { margin: 0; position: relative; min-width: 0; min-height: 0; background: var(--ground); overflow: hidden; }
canvas { position: absolute; inset: 0; width: 100%; height: 100%; display: block; cursor: grab; outline: none; }
canvas:active { cursor: grabbing; }
figcaption { position: absolute; left: .8rem; top: .65rem; pointer-events: none; display: flex; flex-direction: column; gap: .05rem; text-shadow: 0 0 6px var(--ground), 0 0 2px var(--ground); max-width: calc(100% - 1.6rem); }
figcaption b { font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
figcaption span { color: var(--soft); font-size: .92em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.badge { position: absolute; left: 50%; bottom: .8rem; transform: translateX(-50%); padding: .22rem .7rem; border-radius: 99px; background: color-mix(in srgb, var(--blend) 22%, var(--panel)); border: 1px solid color-mix(in srgb, var(--blend) 60%, transparent); color: var(--ink); font-size: .92em; white-space: nowrap; opacity: 0; transition: opacity .15s; pointer-events: none; max-width: 90%; overflow: hidden; text-overflow: ellipsis; }
.badge.shown { opacity: 1; }
aside { grid-area: 2 / 2 / 3 / 3; width: 15.5rem; background: var(--panel); border-left: 1px solid var(--edge); overflow: auto; padding: .6rem 0; scrollbar-width: thin; }
aside h2 { margin: 0 .9rem .35rem; font-size: .92em; font-weight: 600; color: var(--soft); display: flex; justify-content: space-between; }
aside ol { list-style: none; margin: 0; padding: 0 .45rem; }
aside li button { display: grid; grid-template-columns: 4em minmax(0, 1fr); column-gap: .45rem; width: 100%; text-align: left; padding: .34rem .45rem; border-radius: 6px; border: 0; background: none; height: auto; }
aside li time { color: var(--soft); font-variant-numeric: tabular-nums; }
aside li .names { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
aside li .length { grid-column: 2; color: var(--faint); font-size: .9em; }
aside li button:hover { background: var(--raised); }
aside li button.now { background: color-mix(in srgb, var(--blend) 20%, transparent); }
.transport { grid-area: 3 / 1 / 4 / 3; display: flex; align-items: center; flex-wrap: wrap; gap: .4rem .45rem; padding: .5rem .9rem; background: var(--panel); border-top: 1px solid var(--edge); }
button, select { font: inherit; color: var(--ink); height: 2rem; min-width: 2rem; padding: 0 .55rem; border-radius: 7px; border: 1px solid transparent; background: var(--raised); cursor: pointer; display: inline-flex; align-items: center; justify-content: center; gap: .4rem; }
button:hover, select:hover { filter: brightness(1.12); }
:host([data-theme="light"]) button:hover { filter: brightness(.97); }
button:focus-visible, select:focus-visible, .track:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
button[aria-pressed="true"] { border-color: var(--accent); color: var(--ink); }
button[aria-pressed="false"] { color: var(--soft); }
.play { background: var(--accent); color: var(--on-accent); min-width: 2.7rem; }
.quiet { background: none; }
.icon { width: 1.05rem; height: 1.05rem; flex: none; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
.icon.filled { fill: currentColor; stroke: none; }
.clock { font-variant-numeric: tabular-nums; white-space: nowrap; padding: 0 .35rem; min-width: 15.5em; }
.clock b { font-weight: 600; font-size: 1.08em; }
.clock span { color: var(--soft); }
.spring { flex: 1; }
.group { display: flex; gap: .4rem; }
select { appearance: none; padding: 0 .6rem; text-align: center; }
.lanes { grid-area: 4 / 1 / 5 / 3; background: var(--panel); padding: 0 .9rem .7rem; display: grid; grid-template-columns: auto minmax(0, 1fr); column-gap: .8rem; user-select: none; max-height: 14rem; overflow: hidden; }
.lanes .label { color: var(--soft); font-size: .92em; display: flex; align-items: center; justify-content: flex-end; max-width: 9rem; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.over { position: relative; grid-row: 1 / 20; grid-column: 2; touch-action: none; cursor: pointer; }
.track { position: absolute; inset: 0; z-index: 3; outline: none; border-radius: 4px; }
.ruler { height: 1.35rem; position: relative; color: var(--faint); font-size: .86em; font-variant-numeric: tabular-nums; overflow: hidden; }
.ruler i { position: absolute; bottom: 0; height: .3rem; width: 1px; background: var(--edge); }
.ruler span { position: absolute; bottom: .25rem; transform: translateX(-50%); white-space: nowrap; }
.ruler span:first-of-type { transform: none; }
.lane { height: 1.15rem; position: relative; background: var(--ground); border-radius: 4px; overflow: hidden; margin-bottom: .24rem; }
.lane.half { height: .8rem; }
.lane > i { position: absolute; top: 0; bottom: 0; border-radius: 2px; min-width: 1px; }
.lane > i.named { font-style: normal; font-size: .84em; line-height: 1.15rem; padding: 0 .35rem; overflow: hidden; white-space: nowrap; text-overflow: clip; color: #fff; border-radius: 0; }
.lane > i.seam { background: var(--blend); opacity: .5; border-radius: 0; }
.lane > i.tick { width: 2px; margin-left: -1px; background: var(--seam); border-radius: 0; }
.lane > i.left { background: var(--left); top: 0; }
.lane > i.right { background: var(--right); }
.lane > i.heel { bottom: 52%; }
.lane > i.toe { top: 52%; }
.range { position: absolute; top: 1.35rem; bottom: .24rem; background: color-mix(in srgb, var(--accent) 12%, transparent); border: 1px solid color-mix(in srgb, var(--accent) 60%, transparent); border-width: 0 2px; pointer-events: none; z-index: 2; }
.head { position: absolute; top: .2rem; bottom: 0; left: 0; width: 0; z-index: 4; pointer-events: none; will-change: transform; }
.head::before { content: ""; position: absolute; top: 0; bottom: 0; left: -1px; width: 2px; background: var(--ink); border-radius: 1px; }
.head::after { content: ""; position: absolute; left: -5px; top: 0; border: 5px solid transparent; border-top-color: var(--ink); border-top-width: 7px; }
.help { position: absolute; inset: 0; background: color-mix(in srgb, var(--ground) 82%, transparent); display: grid; place-items: center; z-index: 9; padding: 1rem; }
.help[hidden] { display: none; }
.help > div { background: var(--panel); border: 1px solid var(--edge); border-radius: 12px; padding: 1rem 1.3rem 1.15rem; max-width: 34rem; max-height: 100%; overflow: auto; box-shadow: 0 12px 40px rgb(0 0 0 / .35); }
.help h2 { margin: 0 0 .6rem; font-size: 1.05rem; display: flex; justify-content: space-between; align-items: center; }
.help dl { margin: 0; display: grid; grid-template-columns: auto 1fr; gap: .28rem .9rem; }
.help dd { margin: 0; color: var(--soft); }
kbd { font: inherit; font-size: .92em; background: var(--raised); border: 1px solid var(--edge); border-bottom-width: 2px; border-radius: 4px; padding: 0 .35em; }
.fault { position: absolute; inset: 0; display: grid; place-items: center; padding: 2rem; text-align: center; color: var(--soft); background: var(--ground); }
.still { position: absolute; inset: 0; display: grid; place-items: center; background: #fff; overflow: hidden; }
::slotted(img) { width: 100%; height: 100%; object-fit: contain; }
:host([compact]) header { display: none; }
:host([compact]) aside { display: none; }
:host([compact]) .transport { padding: .4rem .6rem; }
:host([compact]) .lanes { padding: 0 .6rem .55rem; }
:host([compact]) { border-radius: 10px; overflow: hidden; border: 1px solid var(--edge); }
:host([compact]) .words, :host([compact]) figcaption span { display: none; }
@container (max-width: 900px) { .words { display: none; } aside { width: 12.5rem; } }
@container (max-width: 620px) {
  .player { grid-template: auto minmax(0, 1fr) auto auto auto / minmax(0, 1fr); }
  header { grid-area: 1 / 1; padding: .45rem .7rem; }
  header .note { display: none; }
  header .title { flex: 1; }
  .stages { grid-area: 2 / 1; grid-auto-flow: row; grid-auto-columns: auto; grid-auto-rows: minmax(0, 1fr); }
  .transport { grid-area: 3 / 1; padding: .45rem .7rem; justify-content: space-between; }
  .lanes { grid-area: 4 / 1; padding: 0 .7rem .6rem; column-gap: .5rem; }
  aside { grid-area: 5 / 1; width: auto; max-height: 8.5rem; border-left: 0; border-top: 1px solid var(--edge); }
  .spring { display: none; }
  .clock { min-width: 9.5em; }
  .clock .frames { display: none; }
  button, select { height: 2.25rem; min-width: 2.25rem; }
  .lanes .label { max-width: 4.5rem; }
}
.player { container-type: normal; }
.box { container-type: size; position: absolute; inset: 0; }
@media (prefers-reduced-motion: reduce) { .badge { transition: none; } }
`;
