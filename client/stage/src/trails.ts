/** Trails of feet and hands: ribbons that fade with the time difference from now. */

import * as THREE from "three";

const VERTEX = /* glsl */ `
  attribute vec3 before;
  attribute vec3 after;
  attribute float side;
  attribute float time;
  uniform float now;
  uniform float behind;
  uniform float ahead;
  uniform float width;
  uniform vec2 size;
  varying float vFade;
  varying float vSide;
  void main() {
    mat4 whole = projectionMatrix * modelViewMatrix;
    vec4 here = whole * vec4(position, 1.0);
    vec4 a = whole * vec4(before, 1.0);
    vec4 b = whole * vec4(after, 1.0);
    vec2 along = (b.xy / b.w - a.xy / a.w) * size;
    float far = length(along);
    vec2 across = far > 1e-4 ? vec2(-along.y, along.x) / far : vec2(0.0, 1.0);
    float age = time - now;
    vFade = age <= 0.0 ? 1.0 + age / behind : 0.5 * (1.0 - age / ahead);
    vSide = side;
    float thick = width * (0.45 + 0.55 * clamp(vFade, 0.0, 1.0));
    here.xy += across * side * thick / size * here.w;
    gl_Position = here;
  }
`;

const FRAGMENT = /* glsl */ `
  uniform vec3 colour;
  varying float vFade;
  varying float vSide;
  void main() {
    if (vFade <= 0.0) discard;
    float edge = 1.0 - smoothstep(0.55, 1.0, abs(vSide));
    gl_FragColor = vec4(colour, clamp(vFade, 0.0, 1.0) * 0.9 * edge);
    #include <colorspace_fragment>
  }
`;

/** One trail: a fixed number of points, all set together, or appended one by one while a character is steered. */
export class Trail {
  readonly mesh: THREE.Mesh;
  private readonly geometry = new THREE.BufferGeometry();
  private readonly material: THREE.ShaderMaterial;
  private readonly attributes: Record<"position" | "before" | "after" | "time", THREE.BufferAttribute>;
  private count = 0;

  /** A trail of `capacity` points; further points replace the oldest. */
  constructor(
    readonly capacity: number,
    colour: THREE.Color,
  ) {
    const make = (width: number): THREE.BufferAttribute =>
      new THREE.BufferAttribute(new Float32Array(2 * capacity * width), width);
    this.attributes = { position: make(3), before: make(3), after: make(3), time: make(1) };
    for (const [name, attribute] of Object.entries(this.attributes)) {
      attribute.setUsage(THREE.DynamicDrawUsage);
      this.geometry.setAttribute(name, attribute);
    }
    const side = new Float32Array(2 * capacity);
    for (let k = 0; k < 2 * capacity; k++) side[k] = k % 2 ? 1 : -1;
    this.geometry.setAttribute("side", new THREE.BufferAttribute(side, 1));
    const index = new Uint32Array(6 * Math.max(capacity - 1, 0));
    for (let k = 0; k + 1 < capacity; k++) {
      const a = 2 * k;
      index.set([a, a + 1, a + 2, a + 1, a + 3, a + 2], 6 * k);
    }
    this.geometry.setIndex(new THREE.BufferAttribute(index, 1));
    this.geometry.setDrawRange(0, 0);
    this.material = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      side: THREE.DoubleSide,
      uniforms: {
        now: { value: 0 },
        behind: { value: 1.2 },
        ahead: { value: 0.6 },
        width: { value: 5 },
        size: { value: new THREE.Vector2(1, 1) },
        colour: { value: colour.clone() },
      },
    });
    this.mesh = new THREE.Mesh(this.geometry, this.material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 4;
  }

  /** Set all points: 3 numbers a point, one every `step` seconds from 0. */
  set(points: ArrayLike<number>, step: number): void {
    this.count = Math.min(points.length / 3, this.capacity);
    for (let k = 0; k < this.count; k++) this.write(k, points, 3 * k, k * step);
    this.link(0, this.count);
    this.changed();
  }

  /** Append a point with its time in seconds. */
  push(x: number, y: number, z: number, seconds: number): void {
    if (this.count === this.capacity) {
      for (const attribute of Object.values(this.attributes)) {
        (attribute.array as Float32Array).copyWithin(0, 2 * attribute.itemSize);
      }
      this.count -= 1;
    }
    const { position, time } = this.attributes;
    for (let twin = 0; twin < 2; twin++) {
      position.setXYZ(2 * this.count + twin, x, y, z);
      time.setX(2 * this.count + twin, seconds);
    }
    this.count += 1;
    this.link(Math.max(this.count - 3, 0), this.count);
    this.geometry.setDrawRange(0, 6 * Math.max(this.count - 1, 0));
    this.changed();
  }

  clear(): void {
    this.count = 0;
    this.geometry.setDrawRange(0, 0);
  }

  /** Set the current time; `step` is the interval of points set together. Only points near the current time are drawn. */
  setClock(now: number, step = 0): void {
    const { uniforms } = this.material;
    uniforms.now.value = now;
    if (step <= 0) return;
    const first = Math.max(Math.floor((now - uniforms.behind.value) / step), 0);
    const last = Math.min(Math.ceil((now + uniforms.ahead.value) / step), this.count - 1);
    this.geometry.setDrawRange(6 * first, 6 * Math.max(last - first, 0));
  }

  setColour(colour: THREE.Color): void {
    (this.material.uniforms.colour.value as THREE.Color).copy(colour);
  }

  /** Set the size of the picture and the width of a ribbon, in pixels. */
  setSize(width: number, height: number, thick: number): void {
    (this.material.uniforms.size.value as THREE.Vector2).set(width, height);
    this.material.uniforms.width.value = thick;
  }

  dispose(): void {
    this.geometry.dispose();
    this.material.dispose();
  }

  private write(k: number, points: ArrayLike<number>, at: number, seconds: number): void {
    const { position, time } = this.attributes;
    for (let twin = 0; twin < 2; twin++) {
      position.setXYZ(2 * k + twin, points[at], points[at + 1], points[at + 2]);
      time.setX(2 * k + twin, seconds);
    }
  }

  /** Set the neighbours of the points from `first` to `end`. */
  private link(first: number, end: number): void {
    const { position, before, after } = this.attributes;
    for (let k = first; k < end; k++) {
      const back = Math.max(k - 1, 0);
      const next = Math.min(k + 1, this.count - 1);
      for (let twin = 0; twin < 2; twin++) {
        const at = 2 * k + twin;
        before.setXYZ(at, position.getX(2 * back), position.getY(2 * back), position.getZ(2 * back));
        after.setXYZ(at, position.getX(2 * next), position.getY(2 * next), position.getZ(2 * next));
      }
    }
  }

  private changed(): void {
    for (const attribute of Object.values(this.attributes)) attribute.needsUpdate = true;
  }
}
