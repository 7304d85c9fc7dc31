/** Timed marks on the floor: planted feet and places of seams. */

import * as THREE from "three";

/** A planted foot, in metres and seconds; `side` selects its colour. */
export interface Plant {
  readonly x: number;
  readonly z: number;
  readonly from: number;
  readonly to: number;
  readonly side: "left" | "right";
  /** Metres; a heel is larger than a toe. */
  readonly radius?: number;
}

/** Where a seam happens on the floor. */
export interface SeamPlace {
  readonly x: number;
  readonly z: number;
  readonly from: number;
  readonly to: number;
}

const VERTEX = /* glsl */ `
  attribute vec4 place;
  attribute vec2 span;
  attribute vec3 hue;
  uniform float now;
  uniform float height;
  varying vec2 vUv;
  varying float vNow;
  varying float vAge;
  varying vec3 vHue;
  void main() {
    vUv = position.xz;
    vNow = step(span.x - 1e-4, now) * step(now, span.y + 1e-4);
    vAge = max(max(span.x - now, now - span.y), 0.0);
    vHue = hue;
    float radius = place.w;
    vec3 world = vec3(place.x + position.x * radius, height, place.z + position.z * radius);
    gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
  }
`;

const FRAGMENT = /* glsl */ `
  uniform vec3 lit;
  uniform float ring;
  varying vec2 vUv;
  varying float vNow;
  varying float vAge;
  varying vec3 vHue;
  void main() {
    float away = length(vUv);
    float grain = fwidth(away);
    float disc = 1.0 - smoothstep(1.0 - 2.0 * grain, 1.0, away);
    float inner = mix(0.72, 0.92, ring);
    float hollow = smoothstep(inner - grain, inner + grain, away);
    float fade = exp(-vAge * 0.9);
    float strength = mix(0.5 * fade, 1.0, vNow);
    float body = mix(mix(0.35, 0.7, vNow), 0.1 * vNow * away, ring);
    float alpha = disc * strength * max(hollow, body);
    if (alpha < 0.012) discard;
    gl_FragColor = vec4(mix(vHue, lit, vNow * (1.0 - 0.25 * hollow)), alpha);
    #include <colorspace_fragment>
  }
`;

/** Marks of one kind, in one draw call. */
export class Marks {
  readonly mesh: THREE.Mesh;
  private readonly geometry = new THREE.InstancedBufferGeometry();
  private readonly material: THREE.ShaderMaterial;

  constructor(ring: boolean) {
    const corners = new Float32Array([-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1]);
    this.geometry.setAttribute("position", new THREE.BufferAttribute(corners, 3));
    this.geometry.setIndex([0, 2, 1, 0, 3, 2]);
    this.geometry.instanceCount = 0;
    this.material = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      uniforms: {
        now: { value: 0 },
        height: { value: 0.004 },
        lit: { value: new THREE.Color() },
        ring: { value: ring ? 1 : 0 },
      },
    });
    this.mesh = new THREE.Mesh(this.geometry, this.material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 3;
  }

  /** Set all marks: x, z, radius, from, to (5 numbers each) and a colour each. */
  set(numbers: readonly number[], hues: readonly THREE.Color[]): void {
    const count = hues.length;
    const place = new Float32Array(4 * count);
    const span = new Float32Array(2 * count);
    const hue = new Float32Array(3 * count);
    for (let k = 0; k < count; k++) {
      const [x, z, radius, from, to] = numbers.slice(5 * k, 5 * k + 5);
      place.set([x, 0, z, radius], 4 * k);
      span.set([from, to], 2 * k);
      hues[k].toArray(hue, 3 * k);
    }
    this.geometry.setAttribute("place", new THREE.InstancedBufferAttribute(place, 4));
    this.geometry.setAttribute("span", new THREE.InstancedBufferAttribute(span, 2));
    this.geometry.setAttribute("hue", new THREE.InstancedBufferAttribute(hue, 3));
    this.geometry.instanceCount = count;
  }

  setClock(now: number): void {
    this.material.uniforms.now.value = now;
  }

  setHeight(height: number): void {
    this.material.uniforms.height.value = height + 0.004;
  }

  /** Set the colour of marks during their time span. */
  setActive(colour: THREE.Color): void {
    (this.material.uniforms.lit.value as THREE.Color).copy(colour);
  }

  dispose(): void {
    this.geometry.dispose();
    this.material.dispose();
  }
}
