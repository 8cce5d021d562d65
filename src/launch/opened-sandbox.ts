/** The sandbox of a run, as its agents, tools and checks use it. */

import type { Commands, StartProcess } from '../engine/index.ts'
import type { SandboxSummary } from '../loop/index.ts'
import type { ProtectedPaths } from '../sandbox/index.ts'
import type { CommandView } from './agents/command-view.ts'

export interface OpenedSandbox {
  readonly summary: SandboxSummary
  /** The loop file requires a sandbox. */
  readonly isRequired: boolean
  /** Warnings for the user. */
  readonly problems: readonly string[]
  /** For tools and checks. */
  readonly commands: Commands
  /** For a command that the loop file names: its program and what it needs are mounted. */
  commandsFor(command: readonly string[], shows?: CommandView): Commands
  /** Works in a copy of the workspace, which is at the path of the workspace inside. */
  commandsIn(copy: WorkspaceCopy, command: readonly string[]): Commands
  /** The same, and it can reach a session of the gateway. */
  modelCommandsIn(
    copy: WorkspaceCopy,
    command: readonly string[],
    socketPath: string,
  ): Pick<AgentCommands, 'commands' | 'url'>
  /** Outside the sandbox, for agents that cannot run inside. */
  readonly bareCommands: Commands
  readonly bareStart: StartProcess
  /** For an agent: it can also reach a session of the gateway. */
  agentCommands(command: readonly string[], socketPath: string, view?: AgentView): AgentCommands
  readonly startServer: StartProcess
  /** The paths that are hidden from commands or read-only, for tools that access files directly. */
  protects(): ProtectedPaths
  close(): Promise<void>
}

/** Absolute paths. */
export interface WorkspaceCopy {
  readonly path: string
  /** Where changes to the copy go. Absent: to the copy. */
  readonly overlayFolder?: string
}

/** What the agent sees differently from other commands. */
export interface AgentView {
  /** Paths in the workspace that are empty for it. */
  readonly hides?: readonly string[]
  /** Absolute paths that it can read. */
  readonly shows?: readonly string[]
  /** It reaches its models, and nothing else. Default: also what the loop file allows. */
  readonly isOffline?: true
  /** An absolute path: the folder that it has instead of the workspace. */
  readonly instead?: string
}

export interface AgentCommands {
  readonly commands: Commands
  /** For an agent with an interactive protocol. */
  readonly start: StartProcess
  /** A home folder that is empty for each command and removed afterwards; undefined: the user's. */
  readonly home: string | undefined
  /** The URL of the session inside the sandbox; undefined: the same as outside. */
  readonly url: string | undefined
}
