import { createStage } from "../../stage/src/index";

export { createStage };
