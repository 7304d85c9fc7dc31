/**
 * The stage: the only code in the client that draws bodies, shared by player, studio and study.
 *
 * - `createStage(canvas, options)` returns a `Stage`; `stage.dispose()` frees its resources.
 * - `stage.addCharacter(body, { colours })`, `setPose(character, pose, at)`, `setColours`, `setTint`, `removeCharacter`.
 * - `setOnion`, `setTrails` (complete trails) or `liveTrails` and `pushTrails`, `setPlants`, `setSeams`; `showTrails`, `showPlants`.
 * - `setClock(seconds)`, `setTheme("dark" | "light")`, `setFloor(metres)`.
 * - `setCameraMode("follow" | "orbit")`, `turnCamera`, `zoomCamera`, `resetCamera`, `setGoal`, `setShot`, `linkCameras`.
 * - `decodeBody`, `unpacked` and `samplePose` decode bodies and poses packed by Python.
 */

export { decodeBody, type PackedBody } from "./bodies";
export type { CameraMode, Shot } from "./camera";
export type { Body, FigureMesh } from "./figure";
export { WorldPose, poseSize, restPositions, type Skeleton } from "./kinematics";
export type { Plant, SeamPlace } from "./marks";
export {
  bytesOf,
  fromPlanes,
  inflated,
  samplePose,
  secondsOf,
  unpacked,
  type Motion,
  type PackedMotion,
} from "./motion";
export {
  Stage,
  createStage,
  type Character,
  type CharacterColours,
  type CharacterOptions,
  type StageOptions,
  type TrailData,
} from "./stage";
export { THEMES, type Theme, type ThemeName } from "./theme";
