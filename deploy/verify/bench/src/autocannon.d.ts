/** The part of autocannon that we use; the package has no types of its own. */
declare module 'autocannon' {
  interface Options {
    url: string;
    connections: number;
    /** Requests in all, shared out evenly among the connections. */
    requests?: readonly { path: string; headers?: Record<string, string> }[];
    amount: number;
    headers?: Record<string, string>;
    /** Milliseconds; the end of a run is noticed at the end of a sample. */
    sampleInt?: number;
    /** Seconds that an answer may take. */
    timeout?: number;
    setupClient?: (client: Client) => void;
  }
  /** One connection. */
  interface Client {
    /** Sent in turn, over and over. */
    setRequests(requests: { method?: string; path: string; headers: Record<string, string>; body?: string }[]): void;
  }
  interface Result {
    '2xx': number;
    '3xx': number;
    '4xx': number;
    '5xx': number;
    errors: number;
    timeouts: number;
    /** Seconds. */
    duration: number;
    latency: { p50: number; p99: number; max: number };
  }
  export default function autocannon(options: Options): Promise<Result>;
}
