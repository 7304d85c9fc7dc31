// Written by scripts/wire_types.py from segue.studio.messages and its neighbours; do not edit.

/** A call that needs no words, or an answer that has none. */
export interface Nothing {
}

/** One sentence about what went wrong. */
export interface Failure {
  readonly error: string;
}

/** A clip in the list; its frames are not read for this, so that what is unknown is 0. */
export interface ClipCard {
  readonly name: string;
  readonly seconds: number;
  readonly frames: number;
  readonly fps: number;
  readonly tags: string[];
  readonly labels: string[];
  readonly faulty_frames: number;
  readonly problem: string;
}

/** A cost by its name, and the words of its settings that choose weights. */
export interface CostWords {
  readonly name: string;
  readonly title: string;
  readonly setting: string;
  readonly choices: string[];
}

/** What is open, and what can be chosen. */
export interface ProjectView {
  readonly name: string;
  readonly kind: "library" | "folder" | "samples";
  readonly writable: boolean;
  readonly clips: ClipCard[];
  readonly costs: CostWords[];
  readonly methods: string[];
  readonly formats: string[];
  readonly export_folder: string;
  readonly version: string;
}

/** Which clip. */
export interface ClipAsk {
  readonly clip: string;
}

/** Something wrong with a clip. */
export interface FaultView {
  readonly kind: string;
  readonly start: number;
  readonly stop: number;
  readonly sentence: string;
}

/** Frames of a clip, half open, and a word for them. */
export interface Span {
  readonly start: number;
  readonly stop: number;
  readonly text: string;
}

/** Which joint has a role, how sure that is, and what told it. */
export interface RoleView {
  readonly role: string;
  readonly joint: string;
  readonly confidence: number;
  readonly how: string;
}

/** Everything known about one clip: what the reader took, roles, faults, contacts, labels. */
export interface ClipView {
  readonly name: string;
  readonly seconds: number;
  readonly frames: number;
  readonly fps: number;
  readonly joints: string[];
  readonly file: string;
  readonly notes: string[];
  readonly facts: Record<string, string>;
  readonly roles: RoleView[];
  readonly unknown_roles: string[];
  readonly faults: FaultView[];
  readonly contacts: Span[];
  readonly contacts_set: boolean;
  readonly labels: Span[];
  readonly tags: string[];
}

/** Put a label on frames of a clip, or take it away. */
export interface LabelAsk {
  readonly clip: string;
  readonly text: string;
  readonly start: number;
  readonly stop: number;
  readonly remove?: boolean;
}

/** Tag a clip, or take the tag away. */
export interface TagAsk {
  readonly clip: string;
  readonly text: string;
  readonly remove?: boolean;
}

/** When heels and toes of a clip are on the ground, as a person sets it; ``found``: as it is found in the motion. */
export interface ContactsAsk {
  readonly clip: string;
  readonly contacts?: Span[];
  readonly found?: boolean;
}

/** Which joint has which role, as a person sets it; an empty joint means that the body has none. */
export interface RolesAsk {
  readonly clip: string;
  readonly roles: Record<string, string>;
}

/** How far a job is. */
export interface JobView {
  readonly id: number;
  readonly title: string;
  readonly state: "running" | "done" | "failed" | "cancelled";
  readonly stage: string;
  readonly done: number;
  readonly total: number;
  readonly error: string;
  readonly result: string;
}

/** All jobs that are remembered. */
export interface JobsView {
  readonly jobs: JobView[];
}

/** What became of files that were dropped: names of new clips, and what was left out and why. */
export interface ImportView {
  readonly added: string[];
  readonly skipped: string[];
}

/** Number of a job. */
export interface JobRef {
  readonly job: number;
}

/** A motion that the page can fetch under its word. */
export interface MotionRef {
  readonly word: string;
  readonly name: string;
  readonly seconds: number;
  readonly frames: number;
  readonly fps: number;
}

/** A seam: its frames, half open, from which clip to which, and what it does over what its sources do. */
export interface SeamView {
  readonly start: number;
  readonly stop: number;
  readonly a: string;
  readonly b: string;
  readonly speed: number;
  readonly acceleration: number;
  readonly slip: number;
}

/** Build the graph of some clips, or of all where none is named. */
export interface GraphAsk {
  readonly clips?: string[];
  readonly quality?: number;
  readonly cost?: string;
  readonly settings?: Record<string, number | string>;
}

/** A frame of a clip at which transitions leave or arrive. */
export interface GraphNode {
  readonly clip: number;
  readonly frame: number;
  readonly kept: boolean;
}

/** A transition between two nodes. */
export interface GraphEdge {
  readonly start: number;
  readonly end: number;
  readonly cost: number;
}

/** Which graph. */
export interface GraphRef {
  readonly graph: number;
}

/** A graph: its clips with their frames, nodes, transitions, and what was left out and why. */
export interface GraphView {
  readonly graph: number;
  readonly clips: string[];
  readonly frames: number[];
  readonly fps: number;
  readonly nodes: GraphNode[];
  readonly edges: GraphEdge[];
  readonly reached: string[];
  readonly left_out: Record<string, string>;
  readonly share: number;
  readonly sentence: string;
  readonly steps: Record<string, number>;
}

/** Walk a graph: at random, or along a path on the ground (x and z of each point). */
export interface WalkAsk {
  readonly graph: number;
  readonly seconds?: number;
  readonly seed?: number;
  readonly path?: [number, number][];
}

/** A stretch of a walk in one clip: first and last frame shown, and when in the motion. */
export interface WalkStretch {
  readonly clip: string;
  readonly start: number;
  readonly stop: number;
  readonly at: number;
}

/** A walk that was made. */
export interface WalkView {
  readonly motion: MotionRef;
  readonly seams: SeamView[];
  readonly stretches: WalkStretch[];
}

/** A dance floor: so many characters, each with its own walk. */
export interface FloorAsk {
  readonly graph: number;
  readonly count?: number;
  readonly seconds?: number;
  readonly seed?: number;
}

/** The motions of a dance floor. */
export interface FloorView {
  readonly motions: MotionRef[];
}

/** Which motion, by its word. */
export interface MotionAsk {
  readonly word: string;
}

/** One measure over time: its values, its unit, the colour's meaning, its peak and where it stands. */
export interface Lane {
  readonly title: string;
  readonly unit: string;
  readonly tone: "left" | "right" | "trunk" | "warm";
  readonly values: number[];
  readonly typical: number;
  readonly peak: number;
  readonly peak_frame: number;
}

/** Measures of a motion, frame by frame at a coarser rate, its seams and its contacts. */
export interface MeasuresView {
  readonly fps: number;
  readonly seconds: number;
  readonly lanes: Lane[];
  readonly seams: SeamView[];
  readonly contacts: Span[];
  readonly origin: Span[];
  readonly facts: Record<string, string>;
  readonly missing: string;
}

/** Write a motion into the export folder under a name; the extension says how, ``.json`` is its record alone. */
export interface ExportAsk {
  readonly word: string;
  readonly name: string;
  readonly format: string;
  readonly replace?: boolean;
}

/** Files that were written: names in the export folder. */
export interface ExportView {
  readonly files: string[];
  readonly bytes: number;
  readonly folder: string;
}

/** Two clips, a cost with its settings, and the threshold: a number, ``auto`` or ``knee``. */
export interface CompareAsk {
  readonly a: string;
  readonly b: string;
  readonly cost?: string;
  readonly settings?: Record<string, number | string>;
  readonly threshold?: number | string;
}

/** A transition point from a to b. */
export interface PointView {
  readonly a_frame: number;
  readonly b_frame: number;
  readonly cost: number;
}

/** A cost matrix and the points on it; its costs come as float32 under the number. */
export interface CompareView {
  readonly id: number;
  readonly a: string;
  readonly b: string;
  readonly rows: number;
  readonly columns: number;
  readonly a_frames: number[];
  readonly b_frames: number[];
  readonly a_fps: number;
  readonly b_fps: number;
  readonly low: number;
  readonly high: number;
  readonly unit: string;
  readonly threshold: number;
  readonly threshold_words: string;
  readonly minima: PointView[];
  readonly points: PointView[];
  readonly counts: Record<string, number>;
  readonly reach: number;
  readonly sentence: string;
  readonly best_cost: number | null;
}

/** Another threshold for a comparison. */
export interface ThresholdAsk {
  readonly id: number;
  readonly threshold: number | string;
}

/** What passes it, and the share of the frames of both clips that their jumps would reach. */
export interface ThresholdView {
  readonly threshold: number;
  readonly words: string;
  readonly points: PointView[];
  readonly counts: Record<string, number>;
  readonly reach: number;
  readonly sentence: string;
}

/** Cross from a to b at two frames. */
export interface CrossAsk {
  readonly id: number;
  readonly a_frame: number;
  readonly b_frame: number;
  readonly length?: number | string;
  readonly way?: string;
  readonly feet?: string;
}

/** A transition that was made, and its length. */
export interface CrossView {
  readonly motion: MotionRef;
  readonly seam: SeamView;
  readonly length: number;
  readonly why: string;
}

/** The curves of cost against blend length at two frames of a comparison. */
export interface CurvesAsk {
  readonly id: number;
  readonly a_frame: number;
  readonly b_frame: number;
}

/** A joint's own curve of cost against blend length, by role, and the length at which it is lowest. */
export interface JointCurve {
  readonly role: string;
  readonly values: number[];
  readonly best: number;
}

/** How far a joint is turned apart, in degrees, its weight, and its share of the joint-angle cost. */
export interface JointDifference {
  readonly role: string;
  readonly degrees: number;
  readonly weight: number;
  readonly share: number;
}

/** What blends of each length cost: foreseen (what the seam shows) and geodesic (a sum over joints). */
export interface CurvesView {
  readonly lengths: number[];
  readonly foreseen: number[];
  readonly chosen: number;
  readonly why: string;
  readonly geodesic_lengths: number[];
  readonly geodesic: number[];
  readonly geodesic_best: number;
  readonly joints: JointCurve[];
}

/** Two poses: their cost, the ground motion that lays b onto a, and their joints' differences. */
export interface PosesView {
  readonly cost: number;
  readonly turn: number;
  readonly x: number;
  readonly z: number;
  readonly differences: JointDifference[];
}

/** A live run that is over: its number, what it is called, how long it is, and what steered it. */
export interface RunView {
  readonly run: number;
  readonly title: string;
  readonly seconds: number;
  readonly controller: string;
}

/** Runs, the newest first. */
export interface RunsView {
  readonly runs: RunView[];
}

/** Which run. */
export interface RunAsk {
  readonly run: number;
}

/** Keep a motion that was made as a clip under a name. */
export interface KeepAsk {
  readonly word: string;
  readonly name: string;
}

/** An elementary motion; its core in frames of its own, half open. */
export interface ElementView {
  readonly name: string;
  readonly clip: string;
  readonly frames: number;
  readonly fps: number;
  readonly core: [number, number];
  readonly tags: string[];
}

/** A sequence in the list. */
export interface SequenceCard {
  readonly name: string;
  readonly motions: number;
}

/** What can be arranged, and whether it is kept in a library or until the studio is closed. */
export interface SequencesView {
  readonly elements: ElementView[];
  readonly sequences: SequenceCard[];
  readonly kept: boolean;
}

/** One motion of a sequence: `at` is when its core begins, null as soon as possible after the one before. */
export interface MotionPlace {
  readonly motion: string;
  readonly at: number | null;
  readonly priority: number;
  readonly smoothness: number | null;
}

/** Core of an elementary motion, in frames of its own, half open. */
export interface CoreRange {
  readonly motion: string;
  readonly start: number;
  readonly stop: number;
}

/** A sequence as a person arranges it; cores that are named here go before those of the elementary motions. */
export interface ArrangedScript {
  readonly name: string;
  readonly motions: MotionPlace[];
  readonly smoothness: number;
  readonly method: "optimal" | "pose-similarity" | "constraint-only";
  readonly cores: CoreRange[];
}

/** Which sequence. */
export interface SequenceRef {
  readonly name: string;
}

/** Make the frames of a sequence; only what is another than in `base` comes back, unless that is 0 or forgotten. */
export interface ArrangeAsk {
  readonly script: ArrangedScript;
  readonly base?: number;
}

/** Keep a sequence under its name, in the place of one of that name; an empty one is removed. */
export interface SequenceKeep {
  readonly script: ArrangedScript;
}

/** Cut clips into elementary motions and keep those that are new. */
export interface ProposeAsk {
  readonly clips: string[];
  readonly shortest?: number;
  readonly longest?: number;
}

/** Which elementary motion. */
export interface ElementRef {
  readonly name: string;
}

/** An executed motion: its place in the script, and when its clip and its core begin and end. */
export interface PlacedView {
  readonly number: number;
  readonly motion: string;
  readonly begin: number;
  readonly core: [number, number];
  readonly end: number;
}

/** A stretch over which one half of the body is blended; seconds from the beginning of the previous motion. */
export interface SegmentView {
  readonly name: string;
  readonly half: "lower" | "upper" | "whole";
  readonly kind: string;
  readonly begin: number;
  readonly end: number;
  readonly weights: number[];
  readonly limited: boolean;
}

/** A method that was not taken, and why. */
export interface LostMethodView {
  readonly method: string;
  readonly reason: string;
}

/** How a motion is joined to the one before it; both by their places in the script, slip in metres. */
export interface JoinView {
  readonly previous: number;
  readonly following: number;
  readonly method: string;
  readonly because: string;
  readonly segments: SegmentView[];
  readonly slip_before: number;
  readonly slip_after: number;
  readonly foothold: [number, number];
  readonly turned: number;
  readonly smoothness: number;
  readonly lost: LostMethodView[];
}

/** A motion that is not executed, why, and the nearest time at which its core could begin. */
export interface RejectedView {
  readonly number: number;
  readonly motion: string;
  readonly at: number;
  readonly reason: string;
  readonly nearest: number;
}

/** A made sequence. It comes as the header of its frames (`segue.studio.packing`). `poses` and `places` are the frames that changed, half open: of the first all numbers follow, of the second the root's place and rotation. `base` is the sequence that they change, 0 where all frames follow. */
export interface ArrangedView {
  readonly number: number;
  readonly base: number;
  readonly word: string;
  readonly name: string;
  readonly body: string;
  readonly fps: number;
  readonly frames: number;
  readonly first_frame: number;
  readonly names: string[];
  readonly roles: Record<string, number>;
  readonly contacts: Record<string, [number, number][]>;
  readonly seams: [number, number][];
  readonly origin: [number, number, number][];
  readonly sources: string[];
  readonly poses: [number, number][];
  readonly places: [number, number][];
  readonly placed: PlacedView[];
  readonly joins: JoinView[];
  readonly rejected: RejectedView[];
  readonly feet: Record<string, [number, number][]>;
}

/** A design: a ready one by its name, or a file beside the clips or the exports. */
export interface DesignCard {
  readonly word: string;
  readonly name: string;
  readonly kind: string;
  readonly asks: string;
  readonly source: string;
  readonly problem: string;
}

/** A file of answers, and whether its page is open: then its address, for everyone who takes part. */
export interface StudyRunView {
  readonly file: string;
  readonly study: string;
  readonly state: "starting" | "open" | "ended" | "failed";
  readonly address: string;
  readonly people: number;
  readonly robots: number;
  readonly done: number;
  readonly answers: number;
  readonly error: string;
}

/** Designs that can be used, and answers that there are. */
export interface StudiesView {
  readonly designs: DesignCard[];
  readonly runs: StudyRunView[];
}

/** A design, on its own clips or on those that are open. */
export interface DesignAsk {
  readonly design: string;
  readonly own_clips?: boolean;
}

/** A motion of a study. */
export interface StimulusCard {
  readonly name: string;
  readonly motion: string;
  readonly condition: string;
  readonly frames: number;
}

/** A design with its motions. */
export interface DesignView {
  readonly name: string;
  readonly question: string;
  readonly fps: number;
  readonly seconds: number;
  readonly stimuli: StimulusCard[];
}

/** One motion of a design, to be seen. */
export interface StimulusAsk {
  readonly design: string;
  readonly stimulus: string;
  readonly own_clips?: boolean;
}

/** Let people take a study, under an address of this machine, or so many robots; ``name`` is that of the file. */
export interface StudyRunAsk {
  readonly design: string;
  readonly name: string;
  readonly own_clips?: boolean;
  readonly robots?: number;
  readonly host?: string;
}

/** Which file of answers. */
export interface StudyRunRef {
  readonly file: string;
}

/** What answers tell: a sentence, and the main table with its head first. */
export interface ReportView {
  readonly summary: string;
  readonly rows: string[][];
}

/** Begin a character: a walker or a motion matcher over clips, a walk of a graph, or a player of elementary motions. Between the player's motions `idle` goes on, one of them. */
export interface Begin {
  readonly type: "begin";
  readonly controller: "locomotion" | "matcher" | "graph" | "sequence";
  readonly clips?: string[];
  readonly graph?: number;
  readonly seed?: number;
  readonly idle?: string;
}

/** What is wanted from now on: type, speed in m/s, turning rate in rad/s, positive to the left. Poses carry the number of the last one that they follow, by which the page measures the delay. */
export interface Steer {
  readonly type: "steer";
  readonly kind: string;
  readonly speed: number;
  readonly turn: number;
  readonly number?: number;
}

/** Run after a point on the ground; the type is kept where one is named, else chosen by how far it is. */
export interface Chase {
  readonly type: "chase";
  readonly x: number;
  readonly z: number;
  readonly kind?: string;
}

/** Follow a path on the ground: x, z, type and speed in m/s at each point. */
export interface Follow {
  readonly type: "follow";
  readonly points: [number, number, string, number][];
}

/** Leave by the nearest transition that leads to another stretch. */
export interface Take {
  readonly type: "take";
}

/** Walk to a clip, and stay in it if asked to; without a clip wander on. */
export interface GoTo {
  readonly type: "goto";
  readonly clip?: string;
  readonly stay?: boolean;
}

/** Play an elementary motion: its core begins at a second of the run, null as soon as possible. */
export interface Play {
  readonly type: "play";
  readonly motion: string;
  readonly at?: number | null;
  readonly priority?: number;
}

/** Take the next execution of an elementary motion back. */
export interface Withdraw {
  readonly type: "withdraw";
  readonly motion: string;
}

/** Stand still in time, or go on. */
export interface Pause {
  readonly type: "pause";
  readonly paused: boolean;
}

/** The page has shown this pose. */
export interface Seen {
  readonly type: "seen";
  readonly number: number;
}

/** Make a motion of the run so far. */
export interface Keep {
  readonly type: "keep";
}

/** Steer no more. */
export interface End {
  readonly type: "end";
}

/** A character is there: its body comes as a motion of one frame under the word; what it can do. */
export interface Began {
  readonly type: "began";
  readonly word: string;
  readonly joints: number;
  readonly fps: number;
  readonly kinds: string[];
  readonly speeds: [number, number][];
  readonly sources: string[];
}

/** What was asked for is not possible, and why; everything goes on as before. */
export interface Refused {
  readonly type: "refused";
  readonly error: string;
}

/** The run so far is a motion. */
export interface Kept {
  readonly type: "kept";
  readonly motion: MotionRef;
}

/** A run is over and can be played again. */
export interface Recorded {
  readonly type: "recorded";
  readonly run: RunView;
}

/** A job has changed. */
export interface JobMoved {
  readonly type: "job";
  readonly job: JobView;
}

/** What became of a request; seconds of the run, `latency` up to the first frame that it changed. */
export interface AnswerView {
  readonly command: string;
  readonly motion: string;
  readonly seconds: number;
  readonly outcome: "planned" | "waiting" | "withdrawn" | "rejected";
  readonly reason: string;
  readonly method: string;
  readonly begins_at: number | null;
  readonly latency: number | null;
}

/** What became of the last requests, in the order in which they were made. */
export interface Answers {
  readonly type: "answers";
  readonly answers: AnswerView[];
}

/** What the character waits for, in words. */
export interface Busy {
  readonly type: "busy";
  readonly what: string;
}

/** The list of clips is another. */
export interface Changed {
  readonly type: "changed";
}

export type ToServer = Begin | Steer | Chase | Follow | Take | GoTo | Play | Withdraw | Pause | Seen | Keep | End;

export type ToPage = Began | Refused | Kept | Recorded | Answers | JobMoved | Busy | Changed;

/** What each call takes and answers. */
export interface Calls {
  project: [Nothing, ProjectView];
  clip: [ClipAsk, ClipView];
  label: [LabelAsk, ClipView];
  tag: [TagAsk, ClipView];
  roles: [RolesAsk, ClipView];
  contacts: [ContactsAsk, ClipView];
  compare: [CompareAsk, CompareView];
  threshold: [ThresholdAsk, ThresholdView];
  poses: [CurvesAsk, PosesView];
  curves: [CurvesAsk, CurvesView];
  cross: [CrossAsk, CrossView];
  build: [GraphAsk, JobRef];
  graph: [GraphRef, GraphView];
  walk: [WalkAsk, WalkView];
  floor: [FloorAsk, FloorView];
  runs: [Nothing, RunsView];
  run: [RunAsk, MotionRef];
  keep: [KeepAsk, ImportView];
  measures: [MotionAsk, MeasuresView];
  export: [ExportAsk, ExportView];
  studies: [Nothing, StudiesView];
  design: [DesignAsk, DesignView];
  stimulus: [StimulusAsk, MotionRef];
  study_run: [StudyRunAsk, StudyRunView];
  study_stop: [StudyRunRef, StudyRunView];
  study_report: [StudyRunRef, ReportView];
  sequences: [Nothing, SequencesView];
  sequence: [SequenceRef, ArrangedScript];
  keep_sequence: [SequenceKeep, SequencesView];
  remove_sequence: [SequenceRef, SequencesView];
  propose_elements: [ProposeAsk, SequencesView];
  remove_element: [ElementRef, SequencesView];
  jobs: [Nothing, JobsView];
  cancel: [JobRef, JobsView];
}

/** What calls take that are answered with packed arrays, and the header of these. */
export interface PackedCalls {
  arrange: [ArrangeAsk, ArrangedView];
}
