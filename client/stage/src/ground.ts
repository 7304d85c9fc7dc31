/** The floor (a pool of light, a grid that fades with distance, and the shadow) and the backdrop. */

import * as THREE from "three";

import type { Theme } from "./theme";

const EXTENT = 60; // metres from the middle to the edge; the grid has faded long before

const GRID_VERTEX = /* glsl */ `
  varying vec2 vPlace;
  void main() {
    vec4 world = modelMatrix * vec4(position, 1.0);
    vPlace = world.xz;
    gl_Position = projectionMatrix * viewMatrix * world;
  }
`;

const GRID_FRAGMENT = /* glsl */ `
  uniform vec3 line;
  uniform vec3 glow;
  uniform vec2 middle;
  uniform float reach;
  varying vec2 vPlace;
  float lines(vec2 place, float width) {
    vec2 grain = fwidth(place);
    vec2 near = abs(fract(place - 0.5) - 0.5);
    vec2 cover = 1.0 - smoothstep(vec2(width * 0.5), width * 0.5 + grain * 1.4, near);
    // Lines closer than two pixels would flicker, so they fade out.
    cover *= 1.0 - smoothstep(vec2(0.15), vec2(0.5), grain);
    return max(cover.x, cover.y);
  }
  void main() {
    float away = distance(vPlace, middle);
    float fade = 1.0 - smoothstep(0.25 * reach, reach, away);
    float grid = 0.8 * lines(vPlace, 0.012);
    float pool = 0.55 * exp(-away * away / (0.10 * reach * reach));
    vec3 colour = mix(glow, line, grid);
    gl_FragColor = vec4(colour, max(grid * fade, pool));
    #include <colorspace_fragment>
  }
`;

const BACKDROP_VERTEX = /* glsl */ `
  varying vec2 vPlace;
  void main() {
    vPlace = position.xy;
    gl_Position = vec4(position.xy, 1.0, 1.0);
  }
`;

const BACKDROP_FRAGMENT = /* glsl */ `
  uniform vec3 background;
  uniform vec3 glow;
  uniform float aspect;
  varying vec2 vPlace;
  void main() {
    vec2 place = (vPlace - vec2(0.0, -0.1)) * vec2(min(aspect, 1.4), 1.0);
    float light = 0.75 * exp(-0.9 * dot(place, place));
    vec3 colour = mix(background, glow, light);
    // Half a grey level of noise, so that the gradient shows no banding.
    float noise = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5;
    gl_FragColor = vec4(colour, 1.0);
    #include <colorspace_fragment>
    gl_FragColor.rgb += noise / 255.0;
  }
`;

export class Ground {
  readonly group = new THREE.Group();
  private readonly grid: THREE.ShaderMaterial;
  private readonly backdrop: THREE.ShaderMaterial;
  private readonly shadow = new THREE.ShadowMaterial({ opacity: 0.4, transparent: true, depthWrite: false });
  private readonly floor = new THREE.PlaneGeometry(2 * EXTENT, 2 * EXTENT).rotateX(-Math.PI / 2);
  private readonly screen = new THREE.PlaneGeometry(2, 2);
  private readonly parts: THREE.Mesh[] = [];

  constructor() {
    this.grid = new THREE.ShaderMaterial({
      vertexShader: GRID_VERTEX,
      fragmentShader: GRID_FRAGMENT,
      transparent: true,
      depthWrite: false,
      uniforms: {
        line: { value: new THREE.Color() },
        glow: { value: new THREE.Color() },
        middle: { value: new THREE.Vector2() },
        reach: { value: 14 },
      },
    });
    this.backdrop = new THREE.ShaderMaterial({
      vertexShader: BACKDROP_VERTEX,
      fragmentShader: BACKDROP_FRAGMENT,
      depthTest: false,
      depthWrite: false,
      uniforms: {
        background: { value: new THREE.Color() },
        glow: { value: new THREE.Color() },
        aspect: { value: 1 },
      },
    });
    const behind = new THREE.Mesh(this.screen, this.backdrop);
    behind.frustumCulled = false;
    behind.renderOrder = -10;
    const floor = new THREE.Mesh(this.floor, this.grid);
    floor.renderOrder = 0;
    const dark = new THREE.Mesh(this.floor, this.shadow);
    dark.receiveShadow = true;
    dark.renderOrder = 1;
    this.parts.push(floor, dark);
    this.group.add(behind, floor, dark);
  }

  setTheme(theme: Theme): void {
    (this.grid.uniforms.line.value as THREE.Color).set(theme.line);
    (this.grid.uniforms.glow.value as THREE.Color).set(theme.glow);
    (this.backdrop.uniforms.background.value as THREE.Color).set(theme.background);
    (this.backdrop.uniforms.glow.value as THREE.Color).set(theme.glow);
    this.shadow.opacity = theme.shadow;
  }

  /** Show or hide the floor, its grid and its shadow; the backdrop is always drawn. */
  showFloor(shown: boolean): void {
    for (const part of this.parts) part.visible = shown;
  }

  /** Set the height of the floor in metres. */
  setHeight(height: number): void {
    for (const part of this.parts) part.position.y = height;
  }

  /** Centre the pool of light and the grid on a place; the grid is visible up to `reach` metres. */
  follow(x: number, z: number, reach: number): void {
    (this.grid.uniforms.middle.value as THREE.Vector2).set(x, z);
    this.grid.uniforms.reach.value = reach;
    // The plane moves in whole metres, so that the grid appears fixed.
    for (const part of this.parts) part.position.set(Math.round(x), part.position.y, Math.round(z));
  }

  setAspect(aspect: number): void {
    this.backdrop.uniforms.aspect.value = aspect;
  }

  dispose(): void {
    this.floor.dispose();
    this.screen.dispose();
    this.grid.dispose();
    this.backdrop.dispose();
    this.shadow.dispose();
  }
}
