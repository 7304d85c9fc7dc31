/** The socket, one a page. It reconnects automatically; its users restart what they had begun. */

import { livePose, type LivePose } from "./packed";
import type { ToPage, ToServer } from "./wire";

export type LinkState = "open" | "waiting" | "closed";

export interface Listeners {
  message(message: ToPage): void;
  pose(pose: LivePose): void;
  state(state: LinkState): void;
}

/** Return the milliseconds to wait before the next try: longer each time, ten seconds at most. */
export function pauseBefore(tries: number): number {
  return Math.min(500 * 2 ** Math.min(tries, 6), 10_000);
}

export class Link {
  private socket: WebSocket | null = null;
  private tries = 0;
  private timer = 0;
  private wanted = true;

  constructor(
    private readonly listeners: Listeners,
    private readonly address = `ws://${location.host}/socket`,
  ) {
    this.connect();
  }

  get open(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /** Send a message; return false without a connection. */
  send(message: ToServer): boolean {
    if (!this.open) return false;
    this.socket?.send(JSON.stringify(message));
    return true;
  }

  close(): void {
    this.wanted = false;
    clearTimeout(this.timer);
    this.socket?.close();
  }

  private connect(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.tries = 0;
      this.listeners.state("open");
    };
    socket.onmessage = ({ data }) => {
      if (data instanceof ArrayBuffer) this.listeners.pose(livePose(data));
      else this.listeners.message(JSON.parse(String(data)) as ToPage);
    };
    socket.onclose = () => {
      if (!this.wanted) {
        this.listeners.state("closed");
        return;
      }
      this.listeners.state("waiting");
      this.timer = setTimeout(() => this.connect(), pauseBefore(this.tries++)) as unknown as number;
    };
  }
}
