// Written by scripts/wire_types.py from segue.study.messages; do not edit.

/** A call that needs no words, or an answer that has none. */
export interface Nothing {
}

/** One sentence about what went wrong. */
export interface Failure {
  readonly error: string;
}

/** What is asked of a participant before the trials; a line of text where there is nothing to choose. */
export interface Asked {
  readonly name: string;
  readonly choices: string[];
}

/** What a participant reads before the trials, and whether this browser has begun with it. */
export interface StudyView {
  readonly kind: "preference" | "likert" | "jnd" | "verdict";
  readonly consent: string;
  readonly asked: Asked[];
  readonly longest: number;
  readonly begun: boolean;
}

/** From where all conditions of a motion are seen: onto a box (metres), from a heading (radians) and a height. */
export interface CameraView {
  readonly centre: [number, number, number];
  readonly half: [number, number, number];
  readonly heading: number;
  readonly height: number;
  readonly ground: boolean;
}

/** A question, and what is shown for it: numbers of motions in the order shown, those of a pair together. */
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

/** Where a participant is: the next trial, none once all is answered; ``total`` is 0 where answers decide it. ``was_right`` is of the training trial that was just answered. */
export interface TurnView {
  readonly answered: number;
  readonly total: number;
  readonly gap_seconds: number;
  readonly is_break: boolean;
  readonly trial: TrialView | null;
  readonly was_right: boolean | null;
}

/** Take part: what was asked is answered, by name. */
export interface JoinAsk {
  readonly about?: Record<string, string>;
}

/** Answer a trial; ``seconds`` are counted in the page, from the moment that the trial says. */
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
