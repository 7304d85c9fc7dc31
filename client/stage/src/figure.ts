/**
 * Many bodies of one skeleton in one draw call.
 *
 * The mesh is in the skeleton's rest pose; every vertex is skinned to two joints. The joint transforms of each
 * body are stored in a texture, a row of pixels a body: 3 pixels a joint (rows of a 3 x 4 matrix), then its colours. New
 * poses are written into that texture, so that nothing is allocated while bodies move.
 */

import * as THREE from "three";

import { WorldPose, restPositions, type Skeleton } from "./kinematics";

/** A skinned figure as `segue.pictures.player.bodies` writes it: V vertices in the rest pose, T triangles. */
export interface FigureMesh {
  /** V x 3, metres. */
  readonly positions: Float32Array;
  /** V x 3, unit. */
  readonly normals: Float32Array;
  /** V x 2 indices of joints. */
  readonly joints: Uint16Array;
  /** V, from 0 to 1: skinning weight of the first joint; the second has the rest. */
  readonly weights: Float32Array;
  /** V: 0 trunk, neck and head; 1 left limbs; 2 right limbs. */
  readonly parts: Uint8Array;
  /** T x 3. */
  readonly triangles: Uint16Array | Uint32Array;
}

/** Skeleton and mesh of a character. */
export interface Body {
  readonly skeleton: Skeleton;
  readonly figure: FigureMesh;
}

const COLOURS = 4; // pixels after the joints: trunk, left, right, tint with its amount

const PLACE = /* glsl */ `
  uniform sampler2D bodies;
  uniform int bodyJoints;
  attribute vec2 bodyJoint;
  attribute float bodyWeight;
  mat4x3 bodyMatrix(int joint) {
    int x = 3 * joint;
    vec4 a = texelFetch(bodies, ivec2(x, gl_InstanceID), 0);
    vec4 b = texelFetch(bodies, ivec2(x + 1, gl_InstanceID), 0);
    vec4 c = texelFetch(bodies, ivec2(x + 2, gl_InstanceID), 0);
    return mat4x3(vec3(a.x, b.x, c.x), vec3(a.y, b.y, c.y), vec3(a.z, b.z, c.z), vec3(a.w, b.w, c.w));
  }
  mat4x3 bodySkin() {
    return bodyWeight * bodyMatrix(int(bodyJoint.x)) + (1.0 - bodyWeight) * bodyMatrix(int(bodyJoint.y));
  }
`;

const PAINT = /* glsl */ `
  attribute float bodyPart;
  varying vec3 vBodyColour;
  varying vec4 vBodyTint;
`;

type Uniforms = Record<string, THREE.IUniform>;

/** Make a three.js material skin vertices from the texture, and colour them if `painted`. */
function hang(material: THREE.Material, uniforms: Uniforms, painted: boolean, edge = ""): void {
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", `#include <common>\n${PLACE}\n${painted ? PAINT : ""}`)
      .replace("#include <beginnormal_vertex>", "vec3 objectNormal = normalize(mat3(bodySkin()) * normal);")
      .replace(
        "#include <begin_vertex>",
        `vec3 transformed = bodySkin() * vec4(position, 1.0);
        ${
          painted
            ? `int seat = 3 * bodyJoints + int(bodyPart);
               vBodyColour = texelFetch(bodies, ivec2(seat, gl_InstanceID), 0).rgb;
               vBodyTint = texelFetch(bodies, ivec2(3 * bodyJoints + 3, gl_InstanceID), 0);`
            : ""
        }`,
      );
    if (!painted) return;
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vBodyColour;\nvarying vec4 vBodyTint;")
      .replace(
        "#include <color_fragment>",
        "diffuseColor.rgb = mix(vBodyColour, vBodyTint.rgb, 0.14 * vBodyTint.a);",
      )
      .replace(
        "#include <opaque_fragment>",
        `float facing = abs(dot(normalize(vNormal), normalize(vViewPosition)));
        float rim = pow(1.0 - facing, 3.0);
        outgoingLight += rim * (0.22 * vec3(0.75, 0.85, 1.0) + 0.75 * vBodyTint.a * vBodyTint.rgb);
        ${edge}
        #include <opaque_fragment>`,
      );
  };
  // One shader program for all batches, not one a batch.
  material.customProgramCacheKey = () => `segue-body-${painted}-${edge.length}`;
}

/** Bodies of one skeleton: solid ones that cast shadows, or translucent ghosts. */
export class Bodies {
  readonly group = new THREE.Group();
  readonly pose: WorldPose;
  private readonly rest: Float64Array;
  private readonly geometry = new THREE.InstancedBufferGeometry();
  private readonly uniforms: Uniforms;
  private readonly materials: THREE.Material[] = [];
  private rows: Float32Array;
  private width: number;
  private capacity = 4;
  private count = 0;

  constructor(
    readonly body: Body,
    readonly ghostly: boolean,
  ) {
    this.pose = new WorldPose(body.skeleton);
    this.rest = restPositions(body.skeleton);
    const { figure } = body;
    const joints = body.skeleton.names.length;
    this.geometry.setAttribute("position", new THREE.BufferAttribute(figure.positions, 3));
    this.geometry.setAttribute("normal", new THREE.BufferAttribute(figure.normals, 3));
    this.geometry.setAttribute("bodyJoint", new THREE.BufferAttribute(new Float32Array(figure.joints), 2));
    this.geometry.setAttribute("bodyWeight", new THREE.BufferAttribute(figure.weights, 1));
    this.geometry.setAttribute("bodyPart", new THREE.BufferAttribute(new Float32Array(figure.parts), 1));
    this.geometry.setIndex(new THREE.BufferAttribute(figure.triangles, 1));
    this.geometry.instanceCount = 0;
    this.width = 3 * joints + COLOURS;
    this.rows = new Float32Array(4 * this.width * this.capacity);
    this.uniforms = { bodies: { value: this.texture() }, bodyJoints: { value: joints } };
    if (ghostly) this.makeGhosts();
    else this.makeSolid();
  }

  /** Add a body and return its row. */
  add(): number {
    if (this.count === this.capacity) this.grow();
    this.count += 1;
    this.geometry.instanceCount = this.count;
    return this.count - 1;
  }

  /** Drop all bodies after the first `count`. */
  keep(count: number): void {
    this.count = Math.min(count, this.count);
    this.geometry.instanceCount = this.count;
  }

  get length(): number {
    return this.count;
  }

  /** Copy one body's row over another's, to fill the gap of a removed body. */
  move(from: number, to: number): void {
    const size = 4 * this.width;
    this.rows.copyWithin(to * size, from * size, (from + 1) * size);
    this.changed();
  }

  /** Set the pose of a body. */
  setPose(row: number, pose: ArrayLike<number>, at = 0): void {
    this.pose.set(pose, at);
    const { positions: p, rotations: r } = this.pose;
    const { rest, rows } = this;
    const joints = p.length / 3;
    let to = row * 4 * this.width;
    for (let joint = 0; joint < joints; joint++) {
      const q = 4 * joint;
      const s = 3 * joint;
      const w = r[q];
      const x = r[q + 1];
      const y = r[q + 2];
      const z = r[q + 3];
      for (let line = 0; line < 3; line++) {
        let a: number;
        let b: number;
        let c: number;
        if (line === 0) {
          a = 1 - 2 * (y * y + z * z);
          b = 2 * (x * y - w * z);
          c = 2 * (x * z + w * y);
        } else if (line === 1) {
          a = 2 * (x * y + w * z);
          b = 1 - 2 * (x * x + z * z);
          c = 2 * (y * z - w * x);
        } else {
          a = 2 * (x * z - w * y);
          b = 2 * (y * z + w * x);
          c = 1 - 2 * (x * x + y * y);
        }
        rows[to++] = a;
        rows[to++] = b;
        rows[to++] = c;
        rows[to++] = p[s + line] - a * rest[s] - b * rest[s + 1] - c * rest[s + 2];
      }
    }
    this.changed();
  }

  /** Set the colours of trunk, left limbs and right limbs. */
  setColours(row: number, trunk: THREE.Color, left: THREE.Color, right: THREE.Color): void {
    const at = 4 * (row * this.width + this.width - COLOURS);
    trunk.toArray(this.rows, at);
    left.toArray(this.rows, at + 4);
    right.toArray(this.rows, at + 8);
    this.changed();
  }

  /** Blend a colour in, by an amount from 0 to 1. For ghosts the amount is the opacity. */
  setTint(row: number, colour: THREE.Color, amount: number): void {
    const at = 4 * (row * this.width + this.width - 1);
    colour.toArray(this.rows, at);
    this.rows[at + 3] = amount;
    this.changed();
  }

  dispose(): void {
    this.geometry.dispose();
    for (const material of this.materials) material.dispose();
    (this.uniforms.bodies.value as THREE.Texture).dispose();
  }

  private changed(): void {
    (this.uniforms.bodies.value as THREE.Texture).needsUpdate = true;
  }

  private texture(): THREE.DataTexture {
    const made = new THREE.DataTexture(
      this.rows,
      this.width,
      this.capacity,
      THREE.RGBAFormat,
      THREE.FloatType,
    );
    made.needsUpdate = true;
    return made;
  }

  private grow(): void {
    this.capacity *= 2;
    const larger = new Float32Array(4 * this.width * this.capacity);
    larger.set(this.rows);
    this.rows = larger;
    (this.uniforms.bodies.value as THREE.Texture).dispose();
    this.uniforms.bodies.value = this.texture();
  }

  private mesh(material: THREE.Material, order: number): THREE.Mesh {
    const mesh = new THREE.Mesh(this.geometry, material);
    mesh.frustumCulled = false; // only the texture knows where the bodies are
    mesh.renderOrder = order;
    this.materials.push(material);
    this.group.add(mesh);
    return mesh;
  }

  private makeSolid(): void {
    const skin = new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0 });
    hang(skin, this.uniforms, true);
    const mesh = this.mesh(skin, 2);
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    const depth = new THREE.MeshDepthMaterial({ depthPacking: THREE.RGBADepthPacking });
    hang(depth, this.uniforms, false);
    mesh.customDepthMaterial = depth;
    this.materials.push(depth);
  }

  /** Add a depth-only pass, so that a ghost's far side does not show through its near side. */
  private makeGhosts(): void {
    const depth = new THREE.MeshBasicMaterial({ colorWrite: false });
    hang(depth, this.uniforms, false);
    this.mesh(depth, 6);
    const veil = new THREE.MeshStandardMaterial({ roughness: 0.9, transparent: true, depthWrite: false });
    hang(veil, this.uniforms, true, "diffuseColor.a = vBodyTint.a * (0.55 + 0.9 * rim);");
    this.mesh(veil, 7);
  }
}
