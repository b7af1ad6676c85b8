/** The engine's JavaScript, as far as it is used. Its own types need those of a browser. */
import type { ByteRange as Range } from '../mpc-tls.ts';

interface Limits {
  readonly max_sent_data: number;
  readonly max_recv_data: number;
  readonly max_sent_records: undefined;
  readonly max_recv_records_online: undefined;
}

interface ProverConfig extends Limits {
  readonly server_name: string;
  readonly max_recv_data_online: undefined;
  readonly defer_decryption_from_start: undefined;
  readonly network: 'Bandwidth' | 'Latency';
  readonly client_auth: undefined;
}

interface Prover {
  setup(url: string): Promise<void>;
  send_request(
    url: string,
    request: { uri: string; method: string; headers: Map<string, number[]>; body: unknown },
  ): Promise<unknown>;
  transcript(): { readonly sent: number[]; readonly recv: number[] };
  reveal(reveal: { sent: Range[]; recv: Range[]; server_identity: boolean }): Promise<void>;
}

interface Verifier {
  connect(url: string): Promise<void>;
  verify(): Promise<{
    readonly server_name: string | undefined;
    readonly connection_info: {
      readonly time: number;
      readonly transcript_length: { readonly sent: number; readonly recv: number };
    };
    readonly transcript:
      | {
          readonly sent: number[];
          readonly sent_authed: Range[];
          readonly recv: number[];
          readonly recv_authed: Range[];
        }
      | undefined;
  }>;
}

export interface EngineModule {
  initSync(options: { readonly module: Uint8Array | WebAssembly.Module; readonly memory: WebAssembly.Memory }): {
    readonly memory: WebAssembly.Memory;
    __wbindgen_thread_destroy(): void;
  };
  initialize(logging: undefined, threads: number): Promise<void>;
  web_spawn_start_worker(pointer: number): void;
  web_spawn_recover_spawner(pointer: number): { run(url: string): Promise<void> };
  readonly Prover: new (config: ProverConfig) => Prover;
  readonly Verifier: new (config: Limits) => Verifier;
}
