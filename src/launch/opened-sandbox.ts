/** The sandbox of a run, as its agents, tools and checks use it. */

import type { Commands, StartProcess } from '../engine/index.ts'
import type { SandboxSummary } from '../loop/index.ts'
import type { ProtectedPaths } from '../sandbox/index.ts'
import type { CommandView } from './agents/command-view.ts'

export interface OpenedSandbox {
  readonly summary: SandboxSummary
  /** The loop file says that there must be some. */
  readonly isRequired: boolean
  /** What a person should know of them. */
  readonly problems: readonly string[]
  /** For tools and checks. */
  readonly commands: Commands
  /** For a command that the loop file names: its program is shown inside, and what else it needs. */
  commandsFor(command: readonly string[], shows?: CommandView): Commands
  /** Without walls, for what cannot work inside. */
  readonly bareCommands: Commands
  readonly bareStart: StartProcess
  /** For an agent: it can also reach a session of the gateway. */
  agentCommands(command: readonly string[], socketPath: string, view?: AgentView): AgentCommands
  readonly startServer: StartProcess
  /** What they keep from commands, for tools that work on files themselves. */
  protects(): ProtectedPaths
  close(): Promise<void>
}

/** What only the agent sees otherwise. */
export interface AgentView {
  /** Paths in the workspace that are empty for it. */
  readonly hides?: readonly string[]
  /** Whole paths that it can read. */
  readonly shows?: readonly string[]
}

export interface AgentCommands {
  readonly commands: Commands
  /** For one that is talked to. */
  readonly start: StartProcess
  /** A folder that is empty for each command and gone after it; undefined: there is none but yours. */
  readonly home: string | undefined
  /** Where the session is for the agent; undefined: where it is for everybody. */
  readonly url: string | undefined
}
