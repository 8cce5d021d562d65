/**
 * The only place that starts git. Whatever a repository, a work tree or a name contains, git runs no other
 * program and contacts no other machine.
 *
 * 1. All paths are passed explicitly. git never searches for a repository, so it never uses one that is inside a
 *    work tree by mistake.
 * 2. The environment is built from scratch. System and user settings are not read; repository settings that start
 *    programs are overridden. Commands that read or write files of a work tree do not even see the repository's
 *    settings: see `private-git-dir.ts`.
 * 3. Untrusted values are operands after `--end-of-options`, or go through standard input. Paths are literal.
 * 4. Each call has a limit on time and output. A process that outlives this one has our mark in its environment,
 *    by which the sandbox's `killAbandoned` finds and kills it.
 */

import { LoopError } from '../../loop/index.ts'
import { findGit } from './find-git.ts'
import { askSession } from './git-session.ts'
import { markVariables } from './process-mark.ts'
import {
  GitError,
  type Program,
  type ProgramCall,
  type ProgramResult,
  runProgram,
} from './run-program.ts'
import { toSessionCall } from './session-calls.ts'

/** The paths that git works on; git searches for none of them. */
export interface GitLocation {
  readonly gitDir: string
  readonly workTree?: string
  readonly indexFile?: string
  readonly objectsDir?: string
  /** Ignore patterns in addition to those of the work tree. */
  readonly excludesFile?: string
  /** Lists the commits whose parents a shallow clone lacks. */
  readonly shallowFile?: string
}

export interface GitCall extends ProgramCall {
  readonly at: GitLocation
  readonly command: string
  /** Trusted: never contains input from outside. */
  readonly options?: readonly string[]
  /** May contain untrusted values. */
  readonly operands?: readonly string[]
  /** False for the one command without literal pathspecs; its paths start with `./` instead. */
  readonly isLiteral?: boolean
}

export type RunGit = (call: GitCall) => Promise<ProgramResult>

export const runGit: RunGit = async (call) => {
  const { program, folder } = await findGit(projectFoldersOf(call.at))
  const env = gitEnvironment(call.at, folder)
  if (call.isLiteral === false) delete env['GIT_LITERAL_PATHSPECS']
  const started = { name: `git ${call.command}`, program, args: gitArguments(call), env }
  return (await answerInSession(started, call)) ?? runProgram(started, call)
}

/**
 * Undefined if the call is not for a session, or its process failed: a separate one shows why. A change of refs whose
 * process was killed may have happened, so it is not repeated: the caller reads the ref.
 */
async function answerInSession(
  program: Program,
  call: GitCall,
): Promise<ProgramResult | undefined> {
  const asked = toSessionCall(call)
  if (asked === undefined) return undefined
  const { args, question, toOutput } = asked
  const key = [program.program, call.at.gitDir, ...args].join('\0')
  try {
    const answer = await askSession(key, { ...program, args }, question)
    return { exitCode: 0, stdout: toOutput(answer), stderr: '' }
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    const mayHaveChanged = error.why === 'lost' && call.command === 'update-ref'
    if ((error.why === 'refused' || error.why === 'lost') && !mayHaveChanged) return undefined
    throw error
  }
}

/** The parent of a `.git` is the top folder of a project. */
const projectFoldersOf = ({ gitDir, workTree }: GitLocation): readonly string[] => [
  gitDir.replace(/\/\.git(\/.*)?$/s, ''),
  ...(workTree === undefined ? [] : [workTree]),
]

export function gitArguments({ command, options = [], operands = [] }: GitCall): readonly string[] {
  const invalid = [command, ...options, ...operands].find((argument) => argument.includes('\0'))
  if (invalid !== undefined) {
    throw new LoopError('bad-name', `${JSON.stringify(invalid)} contains a NUL. Use another name.`)
  }
  return [command, ...options, ...(operands.length === 0 ? [] : ['--end-of-options', ...operands])]
}

/** For git, and for programs that start git. */
export function gitEnvironment(at: Partial<GitLocation>, folder: string): Record<string, string> {
  const path = [folder, '/usr/bin', '/bin'].join(':')
  const set: Record<string, string | undefined> = {
    ...fixedEnvironment,
    ...markVariables(),
    PATH: path,
    GIT_DIR: at.gitDir,
    GIT_WORK_TREE: at.workTree,
    GIT_INDEX_FILE: at.indexFile,
    GIT_OBJECT_DIRECTORY: at.objectsDir,
    GIT_SHALLOW_FILE: at.shallowFile,
    ...configuration({ ...settings, 'core.excludesFile': at.excludesFile ?? '/dev/null' }),
  }
  return Object.fromEntries(
    Object.entries(set).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** Settings as environment variables, which override all others and are inherited by programs that git starts. */
export function configuration(values: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(values)
  const pairs = entries.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return { GIT_CONFIG_COUNT: String(entries.length), ...Object.fromEntries(pairs) }
}

/** The author of our commits. */
export const identity: { readonly name: string; readonly email: string } = {
  name: 'Loopwright',
  email: 'loopwright@localhost',
}

const fixedEnvironment: Readonly<Record<string, string>> = {
  HOME: '/nonexistent/loopwright',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  // Invented parents could make git believe that a branch has commits which it lacks.
  GIT_GRAFT_FILE: '/dev/null',
  GIT_NO_LAZY_FETCH: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  GIT_SSH_COMMAND: 'false',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'false',
  // Disables all transports.
  GIT_ALLOW_PROTOCOL: '',
  GIT_AUTHOR_NAME: identity.name,
  GIT_AUTHOR_EMAIL: identity.email,
  GIT_COMMITTER_NAME: identity.name,
  GIT_COMMITTER_EMAIL: identity.email,
}

export const settings: Readonly<Record<string, string>> = {
  // Safe, because the git directory is always passed explicitly.
  'safe.directory': '*',
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.untrackedCache': 'false',
  'core.attributesFile': '/dev/null',
  'core.sshCommand': 'false',
  'core.pager': 'cat',
  'core.editor': 'false',
  'core.splitIndex': 'false',
  'core.trustctime': 'true',
  'core.checkStat': 'default',
  // Overrides the repository: see reserved-names.ts.
  'core.protectNTFS': 'true',
  'worktree.useRelativePaths': 'false',
  'core.fsync': 'objects,reference',
  'core.fsyncMethod': 'batch',
  'protocol.allow': 'never',
  'submodule.recurse': 'false',
  'diff.ignoreSubmodules': 'all',
  'diff.external': '',
  'commit.gpgSign': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
}
