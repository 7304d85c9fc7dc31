/** Decode bodies embedded in a page, as written by `segue.pictures.player.bodies`, into meshes. */

import type { Body } from "./figure";
import { bytesOf, inflated } from "./motion";

/** Skeleton and figure; `data` is zlib and base64 of the concatenated arrays, little-endian. */
export interface PackedBody {
  readonly names: readonly string[];
  readonly parents: readonly number[];
  /** 3 a joint, metres. */
  readonly offsets: readonly number[];
  readonly vertices: number;
  readonly triangles: number;
  /** Quantization step of vertex positions, in metres. */
  readonly step: number;
  /** int16 V x 3 positions, int8 V x 3 normals, uint16 V x 2 joints, uint8 V weights, uint8 V parts, uint16 T x 3. */
  readonly data: string;
}

/** Decode a packed body. */
export async function decodeBody(packed: PackedBody): Promise<Body> {
  const raw = await inflated(bytesOf(packed.data));
  const { vertices: count, triangles } = packed;
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  let at = 0;
  const read = (numbers: number, size: number, one: (at: number) => number): Float32Array => {
    const out = new Float32Array(numbers);
    for (let k = 0; k < numbers; k++, at += size) out[k] = one(at);
    return out;
  };
  const positions = read(3 * count, 2, (from) => view.getInt16(from, true) * packed.step);
  const normals = read(3 * count, 1, (from) => view.getInt8(from) / 127);
  const joints = Uint16Array.from(read(2 * count, 2, (from) => view.getUint16(from, true)));
  const weights = read(count, 1, (from) => view.getUint8(from) / 255);
  const parts = Uint8Array.from(read(count, 1, (from) => view.getUint8(from)));
  const corners = Uint16Array.from(read(3 * triangles, 2, (from) => view.getUint16(from, true)));
  return {
    skeleton: {
      names: packed.names,
      parents: Int16Array.from(packed.parents),
      offsets: Float32Array.from(packed.offsets),
    },
    figure: { positions, normals, joints, weights, parts, triangles: corners },
  };
}
