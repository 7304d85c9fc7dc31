// Written by scripts/wire_types.py from segue.studio.messages and its neighbours; do not edit.

/** A request or an answer without content. */
export interface Nothing {
}

/** A sentence on what went wrong. */
export interface Failure {
  readonly error: string;
}

/** A clip in the list; unknown numbers are 0, as its frames are not read for the list. */
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

/** A cost, its setting that chooses weights, and the values of that setting. */
export interface CostWords {
  readonly name: string;
  readonly title: string;
  readonly setting: string;
  readonly choices: string[];
}

/** The open project, and the costs, methods and formats to choose from. */
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

/** The name of a clip. */
export interface ClipAsk {
  readonly clip: string;
}

/** A fault of a clip. */
export interface FaultView {
  readonly kind: string;
  readonly start: number;
  readonly stop: number;
  readonly sentence: string;
}

/** Frames of a clip, half open, with a text. */
export interface Span {
  readonly start: number;
  readonly stop: number;
  readonly text: string;
}

/** The joint that has a role, the confidence, and how it was recognised. */
export interface RoleView {
  readonly role: string;
  readonly joint: string;
  readonly confidence: number;
  readonly how: string;
}

/** Everything known about one clip: facts and assumptions of the reader, roles, faults, contacts, labels. */
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

/** Add a label to frames of a clip, or remove it. */
export interface LabelAsk {
  readonly clip: string;
  readonly text: string;
  readonly start: number;
  readonly stop: number;
  readonly remove?: boolean;
}

/** Add a tag to a clip, or remove it. */
export interface TagAsk {
  readonly clip: string;
  readonly text: string;
  readonly remove?: boolean;
}

/** Set the contacts of heels and toes of a clip; ``found`` restores those detected in the motion. */
export interface ContactsAsk {
  readonly clip: string;
  readonly contacts?: Span[];
  readonly found?: boolean;
}

/** Set the joints of roles; an empty joint means that the body has no such joint. */
export interface RolesAsk {
  readonly clip: string;
  readonly roles: Record<string, string>;
}

/** State and progress of a job. */
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

/** All jobs of this run that are still kept. */
export interface JobsView {
  readonly jobs: JobView[];
}

/** Result of an import: names of new clips, and reasons for files left out. */
export interface ImportView {
  readonly added: string[];
  readonly skipped: string[];
}

/** The number of a job. */
export interface JobRef {
  readonly job: number;
}

/** A motion that the page can fetch by its word. */
export interface MotionRef {
  readonly word: string;
  readonly name: string;
  readonly seconds: number;
  readonly frames: number;
  readonly fps: number;
}

/** A seam: its frames, half open, the clips left and entered, and its measures. `speed` and `acceleration` are ratios to the largest of the nearby sources, `slip` is in metres; 0 if not measured. */
export interface SeamView {
  readonly start: number;
  readonly stop: number;
  readonly a: string;
  readonly b: string;
  readonly speed: number;
  readonly acceleration: number;
  readonly slip: number;
}

/** Build the graph of some clips, or of all if none is named. */
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

/** The number of a graph. */
export interface GraphRef {
  readonly graph: number;
}

/** A graph: its clips with their frames, nodes, transitions, and clips left out with reasons. */
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

/** A stretch of a walk in one clip: first and last frame shown, and its time in the motion. */
export interface WalkStretch {
  readonly clip: string;
  readonly start: number;
  readonly stop: number;
  readonly at: number;
}

/** A made walk. */
export interface WalkView {
  readonly motion: MotionRef;
  readonly seams: SeamView[];
  readonly stretches: WalkStretch[];
}

/** Make a dance floor: a number of characters, each with its own walk. */
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

/** The word of a motion. */
export interface MotionAsk {
  readonly word: string;
}

/** One measure over time: its values, its unit, the meaning of its colour, its peak and the peak's frame. */
export interface Lane {
  readonly title: string;
  readonly unit: string;
  readonly tone: "left" | "right" | "trunk" | "warm";
  readonly values: number[];
  readonly typical: number;
  readonly peak: number;
  readonly peak_frame: number;
}

/** Measures of a motion at a reduced frame rate, its seams and its contacts. */
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

/** Write a motion into the export folder; the extension chooses the format, ``.json`` writes only its record. */
export interface ExportAsk {
  readonly word: string;
  readonly name: string;
  readonly format: string;
  readonly replace?: boolean;
}

/** Names of the files written in the export folder. */
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

/** A cost matrix and the points on it; its costs are fetched separately as float32 by ``id``. */
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

/** Points that pass a threshold, and the share of the frames of both clips that they would reach. */
export interface ThresholdView {
  readonly threshold: number;
  readonly words: string;
  readonly points: PointView[];
  readonly counts: Record<string, number>;
  readonly reach: number;
  readonly sentence: string;
}

/** Make the transition from a to b at two frames. */
export interface CrossAsk {
  readonly id: number;
  readonly a_frame: number;
  readonly b_frame: number;
  readonly length?: number | string;
  readonly way?: string;
  readonly feet?: string;
}

/** A made transition, and its length. */
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

/** Angle between a joint's rotations in two poses, in degrees, its weight, and its share of the joint-angle cost. */
export interface JointDifference {
  readonly role: string;
  readonly degrees: number;
  readonly weight: number;
  readonly share: number;
}

/** Cost of blends by length: foreseen (measures at the seam) and geodesic (a sum over joints). */
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

/** Two poses: their cost, the ground motion that aligns b with a, and the differences of their joints. */
export interface PosesView {
  readonly cost: number;
  readonly turn: number;
  readonly x: number;
  readonly z: number;
  readonly differences: JointDifference[];
}

/** A finished live run: its number, title, length and controller. */
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

/** The number of a run. */
export interface RunAsk {
  readonly run: number;
}

/** Keep a made motion as a clip under a name. */
export interface KeepAsk {
  readonly word: string;
  readonly name: string;
}

/** An elementary motion; its core in frames from its start, half open. */
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

/** Elementary motions and sequences; `kept` if stored in a library, else they last until the studio closes. */
export interface SequencesView {
  readonly elements: ElementView[];
  readonly sequences: SequenceCard[];
  readonly kept: boolean;
}

/** A motion of a sequence; its core begins at `at`, or as soon as possible after the previous motion if null. */
export interface MotionPlace {
  readonly motion: string;
  readonly at: number | null;
  readonly priority: number;
  readonly smoothness: number | null;
}

/** Core of an elementary motion, in frames from its start, half open. */
export interface CoreRange {
  readonly motion: string;
  readonly start: number;
  readonly stop: number;
}

/** A sequence as arranged by the user; its `cores` take precedence over those of the elementary motions. */
export interface ArrangedScript {
  readonly name: string;
  readonly motions: MotionPlace[];
  readonly smoothness: number;
  readonly method: "optimal" | "pose-similarity" | "constraint-only";
  readonly cores: CoreRange[];
}

/** The name of a sequence. */
export interface SequenceRef {
  readonly name: string;
}

/** Make the frames of a sequence; only changes from `base` are returned, unless it is 0 or no longer in memory. */
export interface ArrangeAsk {
  readonly script: ArrangedScript;
  readonly base?: number;
}

/** Keep a sequence under its name, replacing one of the same name; an empty one is removed. */
export interface SequenceKeep {
  readonly script: ArrangedScript;
}

/** Cut clips into elementary motions and keep those that are new. */
export interface ProposeAsk {
  readonly clips: string[];
  readonly shortest?: number;
  readonly longest?: number;
}

/** The name of an elementary motion. */
export interface ElementRef {
  readonly name: string;
}

/** An executed motion: its place in the script, and the times at which its clip and its core begin and end. */
export interface PlacedView {
  readonly number: number;
  readonly motion: string;
  readonly begin: number;
  readonly core: [number, number];
  readonly end: number;
}

/** A time span over which one half of the body is blended; seconds from the beginning of the previous motion. */
export interface SegmentView {
  readonly name: string;
  readonly half: "lower" | "upper" | "whole";
  readonly kind: string;
  readonly begin: number;
  readonly end: number;
  readonly weights: number[];
  readonly limited: boolean;
}

/** A method that was not chosen, and the reason. */
export interface LostMethodView {
  readonly method: string;
  readonly reason: string;
}

/** The join of a motion with the previous one, both by their places in the script; slip in metres. */
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

/** A rejected motion, the reason, and the nearest time at which its core could begin. */
export interface RejectedView {
  readonly number: number;
  readonly motion: string;
  readonly at: number;
  readonly reason: string;
  readonly nearest: number;
}

/** A made sequence, sent as the header of its frames (`segue.studio.packing`). `poses` and `places` are ranges of changed frames, half open: complete poses follow for the first, the root's place and rotation for the second. `base` is the sequence that they change, 0 if all frames follow. */
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

/** A design: a ready one by its name, or a file in the open folder or the export folder. */
export interface DesignCard {
  readonly word: string;
  readonly name: string;
  readonly kind: string;
  readonly asks: string;
  readonly source: string;
  readonly problem: string;
}

/** A file of answers and the state of its study, with the address for participants while its page is open. */
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

/** The available designs, and the files of answers. */
export interface StudiesView {
  readonly designs: DesignCard[];
  readonly runs: StudyRunView[];
}

/** A design, with its own clips or those of the project. */
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

/** Make one motion of a design for viewing. */
export interface StimulusAsk {
  readonly design: string;
  readonly stimulus: string;
  readonly own_clips?: boolean;
}

/** Run a study with people, at address `host` of this machine, or with a number of robots; `name` is the file's. */
export interface StudyRunAsk {
  readonly design: string;
  readonly name: string;
  readonly own_clips?: boolean;
  readonly robots?: number;
  readonly host?: string;
}

/** The name of a file of answers. */
export interface StudyRunRef {
  readonly file: string;
}

/** Result of a study: a sentence, and the main table with its head first. */
export interface ReportView {
  readonly summary: string;
  readonly rows: string[][];
}

/** Begin a character: a walker or a motion matcher on clips, a walk of a graph, or a player of elementary motions. Between other motions the player loops `idle`, one of its elementary motions. */
export interface Begin {
  readonly type: "begin";
  readonly controller: "locomotion" | "matcher" | "graph" | "sequence";
  readonly clips?: string[];
  readonly graph?: number;
  readonly seed?: number;
  readonly idle?: string;
}

/** Command from now on: type, speed in m/s, turning rate in rad/s, positive to the left. Poses carry the number of the last command that they follow, from which the page measures the delay. */
export interface Steer {
  readonly type: "steer";
  readonly kind: string;
  readonly speed: number;
  readonly turn: number;
  readonly number?: number;
}

/** Move to a point on the ground, by the given type, or by one chosen from the distance if none is given. */
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

/** Walk to a clip, and remain in it with `stay`; without a clip, wander. */
export interface GoTo {
  readonly type: "goto";
  readonly clip?: string;
  readonly stay?: boolean;
}

/** Play an elementary motion; its core begins at `at` in seconds of the run, as soon as possible if null. */
export interface Play {
  readonly type: "play";
  readonly motion: string;
  readonly at?: number | null;
  readonly priority?: number;
}

/** Withdraw the next execution of an elementary motion. */
export interface Withdraw {
  readonly type: "withdraw";
  readonly motion: string;
}

/** Pause the character, or continue. */
export interface Pause {
  readonly type: "pause";
  readonly paused: boolean;
}

/** Number of the last pose that the page has shown. */
export interface Seen {
  readonly type: "seen";
  readonly number: number;
}

/** Keep the run so far as a motion. */
export interface Keep {
  readonly type: "keep";
}

/** End the character. */
export interface End {
  readonly type: "end";
}

/** A character is ready: the word of a one-frame motion that holds its body, and its abilities. */
export interface Began {
  readonly type: "began";
  readonly word: string;
  readonly joints: number;
  readonly fps: number;
  readonly kinds: string[];
  readonly speeds: [number, number][];
  readonly sources: string[];
}

/** The reason why a request is not possible; the state is unchanged. */
export interface Refused {
  readonly type: "refused";
  readonly error: string;
}

/** The run so far, kept as a motion. */
export interface Kept {
  readonly type: "kept";
  readonly motion: MotionRef;
}

/** A run has ended and can be replayed. */
export interface Recorded {
  readonly type: "recorded";
  readonly run: RunView;
}

/** The state of a job has changed. */
export interface JobMoved {
  readonly type: "job";
  readonly job: JobView;
}

/** Outcome of a request, in seconds of the run; `latency` is the time until the first frame that it changed. */
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

/** Outcomes of the last requests, in the order in which they were made. */
export interface Answers {
  readonly type: "answers";
  readonly answers: AnswerView[];
}

/** The operation that the page waits for, in words. */
export interface Busy {
  readonly type: "busy";
  readonly what: string;
}

/** The list of clips has changed. */
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
