/**
 * The only place that starts git. Whatever a repository, a work tree or a name holds, git runs no
 * other program for us and speaks to no other machine.
 *
 * 1. git is told where everything is. It never looks for a repository, so none that lies in a work
 *    tree is ever taken for the one that is meant.
 * 2. Its environment is made here, from nothing. Settings of the system and of the person are not
 *    read; of a repository's settings, those that start programs are overruled. Commands that read
 *    or write files of a work tree do not even see them: see `own-directory.ts`.
 * 3. What comes from outside is an operand, behind `--end-of-options`, or goes in by standard input.
 *    Paths mean themselves.
 * 4. Each call has a limit on time and on output. What outlives us carries our mark in its
 *    environment, by which it is found and ended: the sandbox's `killAbandoned` knows it.
 */

import { LoopError } from '../../loop/index.ts'
import { findGit } from './find-git.ts'
import { ownMark } from './own-mark.ts'
import { type ProgramCall, type ProgramResult, runProgram } from './run-program.ts'

/** What git works on. Nothing of it is looked for. */
export interface GitPlace {
  readonly gitDir: string
  readonly workTree?: string
  readonly indexFile?: string
  readonly objectsDir?: string
  /** What is ignored besides what the work tree says. */
  readonly excludesFile?: string
  /** Where it is written which commits have parents that are not here. */
  readonly shallowFile?: string
}

export interface GitCall extends ProgramCall {
  readonly at: GitPlace
  readonly command: string
  /** Of our own making, all of them. */
  readonly options?: readonly string[]
  /** Anything. */
  readonly operands?: readonly string[]
  /** False for the one command that cannot be told so; its paths begin with `./` instead. */
  readonly isLiteral?: boolean
}

export type RunGit = (call: GitCall) => Promise<ProgramResult>

export const runGit: RunGit = async (call) => {
  const { program, folder } = await findGit(projectOf(call.at))
  const env = gitEnvironment(call.at, folder)
  if (call.isLiteral === false) delete env['GIT_LITERAL_PATHSPECS']
  return runProgram({ name: `git ${call.command}`, program, args: gitArguments(call), env }, call)
}

/** A `.git` lies at the top of a project. */
const projectOf = ({ gitDir, workTree }: GitPlace): readonly string[] => [
  gitDir.replace(/\/\.git(\/.*)?$/s, ''),
  ...(workTree === undefined ? [] : [workTree]),
]

export function gitArguments({ command, options = [], operands = [] }: GitCall): readonly string[] {
  const bad = [command, ...options, ...operands].find((argument) => argument.includes('\0'))
  if (bad !== undefined) {
    throw new LoopError('bad-name', `${JSON.stringify(bad)} holds a NUL. Choose another name.`)
  }
  return [command, ...options, ...(operands.length === 0 ? [] : ['--end-of-options', ...operands])]
}

/** For git, and for a program that starts git. */
export function gitEnvironment(at: Partial<GitPlace>, folder: string): Record<string, string> {
  const path = [folder, '/usr/bin', '/bin'].join(':')
  const set: Record<string, string | undefined> = {
    ...fixedEnvironment,
    ...ownMark(),
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

/** Settings as an environment: they come before all others, and reach what git itself starts. */
export function configuration(values: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(values)
  const pairs = entries.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return { GIT_CONFIG_COUNT: String(entries.length), ...Object.fromEntries(pairs) }
}

const identity = { name: 'Loopwright', email: 'loopwright@localhost' }

const fixedEnvironment: Readonly<Record<string, string>> = {
  HOME: '/nonexistent/loopwright',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  GIT_SSH_COMMAND: 'false',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'false',
  // No transport at all.
  GIT_ALLOW_PROTOCOL: '',
  GIT_AUTHOR_NAME: identity.name,
  GIT_AUTHOR_EMAIL: identity.email,
  GIT_COMMITTER_NAME: identity.name,
  GIT_COMMITTER_EMAIL: identity.email,
}

export const settings: Readonly<Record<string, string>> = {
  // The place is always named, so that this opens nothing.
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
  // Whatever the repository says: see reserved-names.ts.
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
