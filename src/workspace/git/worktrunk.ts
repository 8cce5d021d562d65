/**
 * Worktrunk (`wt`) as the maker of worktrees, so that they are where a person's own are. Where that
 * is, its configuration says; the path template has no part in it.
 *
 * Its hooks are not run. The git that it starts has the settings of `runGit`, and filters that the
 * repository defines do nothing.
 */

import { z } from 'zod'
import { defined, LoopError } from '../../loop/index.ts'
import { findGit } from './find-git.ts'
import { findOnPath } from './find-on-path.ts'
import { gitProvider, type WorktreeProvider, type WorktreeRequest } from './provider.ts'
import { projectFolders, type Repository } from './repository.ts'
import { configuration, gitEnvironment, type RunGit, settings } from './run-git.ts'
import { GitError, type ProgramResult, runProgram } from './run-program.ts'

export interface WorktrunkOptions {
  /** A name on PATH, or a full path. */
  readonly program?: string
  /** Instead of the person's own configuration. */
  readonly configPath?: string
  /** Folders of the project: what lies in them is not run. */
  readonly apart?: readonly string[]
}

export type ProviderChoice = 'auto' | 'git' | 'worktrunk'

/** `auto` is Worktrunk where it works, else git. */
export async function chooseProvider(
  choice: ProviderChoice = 'auto',
  options: WorktrunkOptions = {},
): Promise<WorktreeProvider> {
  if (choice === 'git') return gitProvider
  const program = await findWorktrunk(options)
  if (program !== undefined) return worktrunkProvider(program, options)
  if (choice === 'auto') return gitProvider
  const advice = 'Install it (https://worktrunk.dev), or choose the provider git.'
  throw new LoopError('not-available', `Worktrunk (wt) does not work here. ${advice}`)
}

/** Undefined unless it is there and says its version. */
async function findWorktrunk({
  program = 'wt',
  apart = [],
}: WorktrunkOptions): Promise<string | undefined> {
  const [found] = program.startsWith('/') ? [program] : await findOnPath(program, { apart })
  if (found === undefined) return undefined
  try {
    const { folder } = await findGit(apart)
    const env = { ...gitEnvironment({}, folder), HOME: process.env['HOME'] ?? '/' }
    const call = { timeoutMs: 5000 }
    await runProgram({ name: 'wt --version', program: found, args: ['--version'], env }, call)
    return found
  } catch {
    return undefined
  }
}

const Switched = z.object({ path: z.string().startsWith('/') })

function worktrunkProvider(program: string, options: WorktrunkOptions): WorktreeProvider {
  const wt = async (
    git: RunGit,
    { repository, branch }: WorktreeRequest,
    args: readonly string[],
  ): Promise<ProgramResult> => {
    const config = options.configPath === undefined ? [] : ['--config', options.configPath]
    const all = ['-C', repository.home, ...config, ...args, branch]
    const env = await environmentFor(git, repository)
    return runProgram({ name: `wt ${args[0]}`, program, args: all, env }, { timeoutMs: 120_000 })
  }
  return {
    name: 'worktrunk',
    async add(git, request) {
      const flags = ['--no-cd', '--no-hooks', '--yes', '--format=json']
      const { stdout } = await wt(git, request, ['switch', ...flags])
      return parse(stdout.toString('utf8')).path
    },
    async remove(git, request) {
      const flags = ['--no-delete-branch', '--foreground', '--force', '--no-hooks', '--yes']
      await wt(git, request, ['remove', ...flags]).catch((error: unknown) => {
        // What it does not want, or has done only half before a kill, git can do.
        if (!(error instanceof GitError)) throw error
        return gitProvider.remove(git, request)
      })
    },
  }
}

function parse(output: string): z.infer<typeof Switched> {
  try {
    const json = output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)
    return Switched.parse(JSON.parse(json))
  } catch (cause) {
    const advice = 'Its version may be too old or too new: choose the provider git.'
    throw new LoopError('workspace-failed', `wt did not say where the worktree is. ${advice}`, {
      cause,
    })
  }
}

async function environmentFor(
  git: RunGit,
  repository: Repository,
): Promise<Record<string, string>> {
  const { folder } = await findGit(projectFolders(repository))
  const filters = await filtersOf(git, repository)
  const silent = filters.flatMap((name) => [
    [`filter.${name}.clean`, ''],
    [`filter.${name}.smudge`, ''],
    [`filter.${name}.process`, ''],
    [`filter.${name}.required`, 'false'],
  ])
  return {
    ...gitEnvironment({}, folder),
    ...configuration({ ...settings, ...Object.fromEntries(silent) }),
    // Its own configuration is the person's.
    ...defined({ HOME: process.env['HOME'] }),
    NO_COLOR: '1',
  }
}

async function filtersOf(git: RunGit, { commonDir }: Repository): Promise<readonly string[]> {
  const { stdout } = await git({
    at: { gitDir: commonDir },
    command: 'config',
    options: ['--list', '--name-only', '-z'],
  })
  const names = stdout.toString('utf8').split('\0')
  const found = names.map((name) => /^filter\.(.+)\.[a-z]+$/is.exec(name)?.[1])
  return [...new Set(found.filter((name) => name !== undefined))]
}
