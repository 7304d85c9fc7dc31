// Written by scripts/wire_types.py from segue.study.messages; do not edit.

/** A request or an answer without content. */
export interface Nothing {
}

/** A sentence on what went wrong. */
export interface Failure {
  readonly error: string;
}

/** A question to a participant before the trials; answered by a line of text if there are no choices. */
export interface Asked {
  readonly name: string;
  readonly choices: string[];
}

/** Introduction that a participant reads before the trials, and whether this browser has begun the study. */
export interface StudyView {
  readonly kind: "preference" | "likert" | "jnd" | "verdict";
  readonly consent: string;
  readonly asked: Asked[];
  readonly longest: number;
  readonly begun: boolean;
}

/** Camera of all conditions of a motion: the box in view (metres), its heading (radians) and height. */
export interface CameraView {
  readonly centre: [number, number, number];
  readonly half: [number, number, number];
  readonly heading: number;
  readonly height: number;
  readonly ground: boolean;
}

/** A question and the motions shown for it: their numbers in the order shown, grouped by pair. */
export interface TrialView {
  readonly number: number;
  readonly purpose: "main" | "training" | "check";
  readonly text: string;
  readonly choices: string[];
  readonly shown: number[][];
  readonly camera: CameraView;
  readonly is_seen: boolean;
  readonly timed_from: "end" | "start";
}

/** State of a participant: the next trial, none once all are answered; ``total`` is 0 if it depends on the answers. ``was_right`` belongs to the training trial that was just answered. */
export interface TurnView {
  readonly answered: number;
  readonly total: number;
  readonly gap_seconds: number;
  readonly is_break: boolean;
  readonly trial: TrialView | null;
  readonly was_right: boolean | null;
}

/** Take part, with the answers to the questions before the trials by name. */
export interface JoinAsk {
  readonly about?: Record<string, string>;
}

/** Answer a trial; the page counts ``seconds`` from the moment that the trial defines. */
export interface AnswerAsk {
  readonly number: number;
  readonly given: string;
  readonly seconds: number;
}

/** What each call takes and answers. */
export interface Calls {
  study: [Nothing, StudyView];
  join: [JoinAsk, TurnView];
  turn: [Nothing, TurnView];
  answer: [AnswerAsk, TurnView];
  leave: [Nothing, StudyView];
}
