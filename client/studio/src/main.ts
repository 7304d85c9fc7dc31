/** The page: tabs along the top, clips on the left, the stage in the middle, an inspector on the right, lanes below. */

import "./style.css";
import { call, GONE } from "./api";
import { Blank } from "./blank";
import { clipList } from "./clip_list";
import { ClipsTab } from "./clips_tab";
import { counted, h, icon, put, sentence } from "./dom";
import { bring, exportMenu } from "./export_menu";
import { GraphTab } from "./graph_tab";
import { Lanes } from "./lanes";
import { SequenceTab } from "./sequence_tab";
import { Link } from "./socket";
import { StageView } from "./stage_view";
import { SteerTab } from "./steer_tab";
import { Store, type TabName } from "./store";
import type { Place, Tab } from "./tab";
import { clearProblems, sentenceOf } from "./toast";
import { StudyTab } from "./study_tab";
import { TransitionsTab } from "./transitions_tab";
import { toggleLoop, toggleOnion, transport } from "./transport";
import type { JobView } from "./wire";

const root = document.getElementById("studio") as HTMLElement;

async function start(): Promise<void> {
  const store = new Store();
  try {
    store.open(await call("project", {}));
  } catch (error) {
    put(
      root,
      h(
        "main",
        { class: "start-problem" },
        h("h1", { class: "brand" }, "segue"),
        h("p", {}, sentence(sentenceOf(error))),
        h("button", { class: "primary", onclick: () => location.reload() }, "Try again"),
      ),
    );
    setTimeout(() => void start(), 4000);
    return;
  }
  build(store);
}

function build(store: Store): void {
  const canvas = h("canvas", { class: "stage", tabindex: "0", "aria-label": "stage: drag turns, wheel zooms" });
  const overlay = h("div", { class: "overlay" });
  const notice = h("div", { class: "notice", role: "status", hidden: true });
  const reset = h("button", { class: "round corner", "aria-label": "whole body in view", title: "Whole body in view (0)" }, icon("reset"));
  const picture = h("div", { class: "picture" }, canvas, overlay, reset, notice);
  const inspector = h("aside", { class: "right", "aria-label": "inspector" });
  const files = h("input", { type: "file", multiple: true, hidden: true });
  files.addEventListener("change", () => {
    void bring([...(files.files ?? [])], store);
    files.value = "";
  });
  put(root, h("main", { class: "middle" }, picture));
  let view: StageView;
  try {
    view = new StageView(canvas);
  } catch {
    put(root, h("main", { class: "start-problem" }, h("p", {}, `This browser offers no WebGL 2; the stage needs it. Allow hardware acceleration, or open another browser.`)));
    return;
  }
  reset.addEventListener("click", () => view.stage.resetCamera());
  let tabs: Record<TabName, Tab>;
  const now = (): Tab => tabs[store.work.tab];
  const blank = new Blank(view, store, () => now().blank(), () => files.click());
  picture.append(blank.element);
  const lanes = new Lanes(view, store, {
    range: (from, to) => now().range?.(from, to),
    contacts: () => now().contacts?.() ?? null,
    faults: () => now().faults?.() ?? [],
  });
  const watched = new Map<number, { done: (result: string) => void; moved?: ((job: JobView) => void) | undefined }>();
  const jobMoved = (job: JobView): void => {
    const one = watched.get(job.id);
    one?.moved?.(job);
    if (job.state === "running") return;
    watched.delete(job.id);
    if (job.state === "done") one?.done(job.result);
  };
  const link = new Link({
    message: (message) => {
      if (message.type === "job") jobMoved(message.job);
      else if (message.type === "changed") void call("project", {}).then((project) => store.replace(project));
      else tabs.steer.message?.(message);
    },
    pose: (pose) => tabs.steer.pose?.(pose),
    state: (state) => {
      notice.hidden = state === "open";
      notice.textContent = state === "waiting" ? sentence(GONE) : "";
      blank.draw();
      if (state !== "open") return;
      now().linked?.();
      void lanes.load();
      if (watched.size) void call("jobs", {}).then(({ jobs }) => jobs.forEach(jobMoved));
    },
  });
  const place: Place = {
    store,
    view,
    lanes,
    link,
    inspector,
    overlay,
    blank: () => blank.draw(),
    watch: (job, done, moved) => {
      watched.set(job, { done, moved });
      void call("jobs", {}).then(({ jobs }) => jobs.filter((one) => one.id === job).forEach(jobMoved));
    },
  };
  const graph = new GraphTab(place);
  tabs = { clips: new ClipsTab(place), transitions: new TransitionsTab(place), graph, sequence: new SequenceTab(place), steer: new SteerTab(place, graph), study: new StudyTab(place) };
  const bar = h(
    "nav",
    { class: "tabs", role: "tablist", "aria-label": "tabs" },
    ...Object.entries(tabs).map(([name, tab], k) =>
      h("button", { role: "tab", "data-tab": name, title: `${tab.title} (${k + 1})`, onclick: () => store.set({ tab: name as TabName }) }, tab.title),
    ),
  );
  const facts = h("span", { class: "project faint" });
  const theme = h("button", { class: "bare", "aria-label": "dark or light", title: "Dark or light", onclick: () => store.set({ theme: store.work.theme === "dark" ? "light" : "dark" }) });
  const top = h(
    "header",
    { class: "top" },
    h("span", { class: "brand" }, "segue"),
    bar,
    facts,
    theme,
    h("button", { onclick: () => files.click(), title: "BVH, AMC with ASF, GLB, FBX … or drop them on the page" }, "Import"),
    exportMenu(view, store),
    files,
  );
  put(root, top, clipList(store, () => files.click()), h("main", { class: "middle" }, picture, transport(view, store)), inspector, lanes.element);

  Object.assign(globalThis, { segueStudio: { store, view, link, tabs } }); // for debugging and tests
  let open: TabName | null = null;
  const applied = (): void => {
    document.documentElement.dataset["theme"] = store.work.theme;
    view.stage.setTheme(store.work.theme);
    put(theme, icon(store.work.theme === "dark" ? "sun" : "moon", 17));
    const count = store.project?.clips.length ?? 0;
    facts.textContent = `${store.project?.name ?? ""} · ${counted(count, "clip")}`;
    blank.draw();
    for (const one of bar.children) one.setAttribute("aria-selected", String(one.getAttribute("data-tab") === store.work.tab));
    if (open === store.work.tab) return;
    if (open) {
      tabs[open].close?.();
      clearProblems();
    }
    open = store.work.tab;
    inspector.scrollTop = 0;
    now().open();
    blank.draw();
  };
  store.listen(applied);
  applied();
  addEventListener("keydown", (event) => pressed(event, store, view, now, Object.keys(tabs) as TabName[]));
  dropping(store);
}

function pressed(event: KeyboardEvent, store: Store, view: StageView, now: () => Tab, names: TabName[]): void {
  const target = event.target as HTMLElement;
  const writing = /^(INPUT|TEXTAREA)$/.test(target.tagName) && target.getAttribute("type") !== "range";
  const commanded = event.ctrlKey || event.metaKey;
  if (writing || (target.tagName === "SELECT" && !commanded)) {
    if (event.key === "Escape") target.blur();
    return;
  }
  if (commanded) {
    if (now().command?.(event)) event.preventDefault();
    return;
  }
  if (now().key?.(event)) {
    event.preventDefault();
    return;
  }
  const { work } = store;
  const actions: Record<string, () => void> = {
    " ": () => view.toggle(),
    ArrowLeft: () => view.step(event.shiftKey ? -10 : -1),
    ArrowRight: () => view.step(event.shiftKey ? 10 : 1),
    Home: () => view.seek(0),
    End: () => view.seek(view.seconds),
    t: () => store.set({ trails: !work.trails }),
    o: () => toggleOnion(store),
    f: () => store.set({ follow: !work.follow }),
    l: () => toggleLoop(view),
    "0": () => view.stage.resetCamera(),
    "/": () => document.querySelector<HTMLInputElement>(".search")?.focus(),
  };
  const tab = names[Number(event.key) - 1];
  const action = actions[event.key] ?? (tab && !event.altKey ? () => store.set({ tab }) : null);
  if (!action || (event.key === " " && target.tagName === "BUTTON") || (target.getAttribute("type") === "range" && event.key.startsWith("Arrow"))) return;
  event.preventDefault();
  action();
}

function dropping(store: Store): void {
  const sheet = h("div", { class: "drop", hidden: true }, h("p", {}, "Drop motion files: BVH, AMC with ASF, GLB, FBX …"));
  document.body.append(sheet);
  let depth = 0;
  addEventListener("dragenter", (event) => {
    event.preventDefault();
    depth++;
    sheet.hidden = false;
  });
  addEventListener("dragleave", () => {
    depth = Math.max(depth - 1, 0);
    sheet.hidden = depth === 0;
  });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    sheet.hidden = true;
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length) void bring(files, store);
  });
}

void start();
