/**
 * The stage: the one place in the client that draws bodies, shared by the player and the studio.
 *
 * - `createStage(canvas, options)` gives a `Stage`; `stage.dispose()` gives everything back.
 * - `stage.addCharacter(body, { colours })`, `setPose(character, pose, at)`, `setColours`, `setTint`, `removeCharacter`.
 * - `setOnion`, `setTrails` (whole ways) or `liveTrails` and `pushTrails`, `setPlants`, `setSeams`; `showTrails`, `showPlants`.
 * - `setClock(seconds)`, `setTheme("dark" | "light")`, `setFloor(metres)`.
 * - `setCameraMode("follow" | "orbit")`, `turnCamera`, `zoomCamera`, `resetCamera`, `setGoal`, `setShot`, `linkCameras`.
 * - `decodeBody`, `unpacked` and `samplePose` turn what Python packs into bodies and poses.
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
