/** The types of a sandbox: its tier, its limits, and what a command may touch. */

import type { ChildProcess } from 'node:child_process'
import type { Command, Commands } from '../engine/index.ts'

/**
 * `strong`: no network, only the listed files, limits, and no process left alive afterwards.
 * `basic`: files and network are restricted, but processes have no separate namespace.
 * `none`: no sandbox.
 */
export type Tier = 'strong' | 'basic' | 'none'

/** `cgroup`: limits for all processes of a command together. `rlimit`: limits for each process. */
export type LimitKind = 'cgroup' | 'rlimit' | 'none'

export interface ProbeResult {
  readonly name: string
  readonly expect: 'works' | 'blocked'
  /** `not-tried`: this machine lacks the program that the probe needs. */
  readonly found: 'works' | 'blocked' | 'not-tried'
}

/** The result of the self-test. */
export interface SandboxReport {
  readonly tier: Tier
  /** Why the tier is not better, in a sentence. */
  readonly reason: string
  /** How to get a better tier. */
  readonly fix?: string
  readonly limits: LimitKind
  readonly probes: readonly ProbeResult[]
  readonly durationMs: number
}

export interface SandboxLimits {
  /** Processes and threads at once. */
  readonly processes: number
  /** For all processes together with `cgroup`, for each process with `rlimit`. */
  readonly memoryBytes: number
  /** Processors at once, with `cgroup` only. Absent: all. */
  readonly cpus?: number
  /** Per process. */
  readonly cpuSeconds: number
  /** Per file. */
  readonly fileBytes: number
  /** Per process. */
  readonly openFiles: number
  /** Of both streams together, including output that is not kept. */
  readonly outputBytes: number
  /** For each of the folders in memory: temporary files, home directory and shared memory. */
  readonly tmpBytes: number
  /** The total size of the workspace files that a command changes. Checked by polling. */
  readonly workspaceBytes: number
}

/** Forwards a port on the loopback interface inside to a Unix socket outside. */
export interface Relay {
  readonly socket: string
  readonly port: number
}

/** Absolute paths. */
export interface Mount {
  readonly from: string
  readonly to: string
}

/** Folders whose changes are kept in memory while one command runs, and then discarded. */
export interface SandboxOverlay {
  /** An empty folder to mount that memory on; outside all paths that the sandbox shows. */
  readonly folder: string
  /** Absolute paths, outside the workspace and not inside each other. */
  readonly lower: readonly string[]
}

/** Where changes to the workspace go instead. An absolute path outside all paths that the sandbox shows. */
export interface WorkspaceOverlay {
  /**
   * A folder on disk, in which `upper` holds the changes: the next command sees what the previous one wrote.
   * Commands with the same folder must not run at the same time.
   */
  readonly folder: string
}

/** How a command can write to dependencies that it must not change. */
export interface OverlayReport {
  /**
   * `overlay`: writes go to memory. `scratch`: dependencies are mounted read-only, with a few writable folders.
   * `copy`: nothing can be mounted.
   */
  readonly mode: 'overlay' | 'scratch' | 'copy'
  /** Why the mode is not better, in a sentence. */
  readonly reason: string
  /** How to get a better mode. */
  readonly fix?: string
}

/** What can be observed of the files of a workspace while a command runs. */
export interface ObservationReport {
  readonly reads: 'inotify' | 'none'
  /** `overlay`: all writes, if `workspaceOverlay` is set. */
  readonly writes: 'overlay' | 'none'
  /** Why it is not better, in a sentence. */
  readonly reason: string
  /** How to observe more. */
  readonly fix?: string
}

/** What a command may touch. Nothing else exists inside the sandbox. */
export interface SandboxSpec {
  /** Writable, except its `.git`; with `workspaceOverlay` the writes go to the overlay. */
  readonly workspace: string
  /** The path of the workspace inside. Default: the same path. Not supported on macOS. */
  readonly sandboxPath?: string
  readonly readOnly?: readonly string[]
  /** Strong tier only, and only if `Sandbox.overlay` reports `overlay`. */
  readonly overlay?: SandboxOverlay
  /** Strong tier only, and only if `Sandbox.overlay` reports `overlay`. Absent: commands change the workspace. */
  readonly workspaceOverlay?: WorkspaceOverlay
  /**
   * Folders mounted over folders of the workspace: read-only, unless they are in an overlay. Strong tier only.
   */
  readonly mounts?: readonly Mount[]
  /** Writable folders inside the mounts: empty at the start of a command, and discarded after it. Strong tier only. */
  readonly scratch?: readonly string[]
  /**
   * Files, folders and Unix sockets mounted read-only below `innerFolder`, after everything else. A command can
   * connect to a socket. Strong tier only.
   */
  readonly files?: readonly Mount[]
  /** The PATH inside, without folders that are not visible there. Default: the PATH of this process. */
  readonly path?: string
  /** Folders that are put in front of the PATH. */
  readonly programs?: readonly string[]
  /** Files and folders that appear empty to the command. */
  readonly hide?: readonly string[]
  /** The gateway to models. */
  readonly gateway?: Relay
  /** A proxy that allows some hosts; inside, HTTPS_PROXY points to it. */
  readonly network?: Relay
  readonly env?: Readonly<Record<string, string>>
  readonly limits?: Partial<SandboxLimits>
}

/** A long-running process that the caller communicates with. */
export interface SandboxedProcess {
  readonly child: ChildProcess
  /** Sends SIGTERM, so that it can clean up. */
  stop(): void
  /** Kills all its processes. Resolves with those that are still alive. */
  kill(): Promise<readonly number[]>
  /**
   * Resolves when none of its processes runs, until `resume`. Kills them if they cannot be paused.
   * Absent without a sandbox and on macOS.
   */
  pause?(): Promise<void>
  resume?(): void
}

/** Runs commands and servers in isolation. Made by `openSandbox`. */
export interface Sandbox {
  readonly report: SandboxReport
  /** Tried at the first call, once per process. */
  overlay(): Promise<OverlayReport>
  /** For workspaces in this folder; default: the temporary folder. Tried once per folder and process. */
  observes(folder?: string): Promise<ObservationReport>
  commands(spec: SandboxSpec): Commands
  /** Starts a long-running program. It has no time limit: end it with `kill`. */
  start(
    spec: SandboxSpec,
    command: Pick<Command, 'program' | 'args' | 'cwd' | 'env'>,
  ): SandboxedProcess
}

const mebibyte = 1024 ** 2

export const defaultLimits: SandboxLimits = {
  processes: 1024,
  memoryBytes: 4096 * mebibyte,
  cpuSeconds: 3600,
  fileBytes: 1024 * mebibyte,
  openFiles: 4096,
  outputBytes: 1024 * mebibyte,
  tmpBytes: 512 * mebibyte,
  workspaceBytes: 4096 * mebibyte,
}
