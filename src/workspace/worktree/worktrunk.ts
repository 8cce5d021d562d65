/**
 * Worktrunk (`wt`) as the provider of worktrees, so that they are in the same folder as the user's own. Its
 * configuration determines that folder; the path template is not used.
 *
 * Its hooks do not run. The git that it starts has the settings of `runGit`, and the filters of the repository are
 * disabled.
 */

import { z } from 'zod'
import { defined, LoopError } from '../../loop/index.ts'
import { findGit } from '../git/find-git.ts'
import { findOnPath } from '../git/find-on-path.ts'
import { listProjectFolders, type Repository } from '../git/repository.ts'
import { configuration, gitEnvironment, type RunGit, settings } from '../git/run-git.ts'
import { GitError, type ProgramResult, runProgram } from '../git/run-program.ts'
import { gitProvider, type WorktreeProvider, type WorktreeRequest } from './provider.ts'

export interface WorktrunkOptions {
  /** A name on PATH, or an absolute path. */
  readonly program?: string
  /** Default: the user's own configuration. */
  readonly configPath?: string
  /** Project folders, whose programs are not run. */
  readonly projectFolders?: readonly string[]
}

export type ProviderChoice = 'auto' | 'git' | 'worktrunk'

/** `auto`: Worktrunk if it works, else git. */
export async function chooseProvider(
  choice: ProviderChoice = 'auto',
  options: WorktrunkOptions = {},
): Promise<WorktreeProvider> {
  if (choice === 'git') return gitProvider
  const program = await findWorktrunk(options)
  if (program !== undefined) return worktrunkProvider(program, options)
  if (choice === 'auto') return gitProvider
  const advice = 'Install it (https://worktrunk.dev), or use the provider git.'
  throw new LoopError('not-available', `Worktrunk (wt) is not available. ${advice}`)
}

/** Undefined unless it is installed and prints its version. */
async function findWorktrunk({
  program = 'wt',
  projectFolders = [],
}: WorktrunkOptions): Promise<string | undefined> {
  const [found] = program.startsWith('/')
    ? [program]
    : await findOnPath(program, { projectFolders })
  if (found === undefined) return undefined
  try {
    const { folder } = await findGit(projectFolders)
    const env = { ...gitEnvironment({}, folder), HOME: process.env['HOME'] ?? '/' }
    const call = { timeoutMs: 5000 }
    await runProgram({ name: 'wt --version', program: found, args: ['--version'], env }, call)
    return found
  } catch {
    return undefined
  }
}

const SwitchOutput = z.object({ path: z.string().startsWith('/') })

function worktrunkProvider(program: string, options: WorktrunkOptions): WorktreeProvider {
  const wt = async (
    git: RunGit,
    { repository, branch }: WorktreeRequest,
    args: readonly string[],
  ): Promise<ProgramResult> => {
    const config = options.configPath === undefined ? [] : ['--config', options.configPath]
    const all = ['-C', repository.home, ...config, ...args, branch]
    const env = await createEnvironment(git, repository)
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
        // git can remove what Worktrunk refuses to, or what it had removed partly before a kill.
        if (!(error instanceof GitError)) throw error
        return gitProvider.remove(git, request)
      })
    },
  }
}

function parse(output: string): z.infer<typeof SwitchOutput> {
  try {
    const json = output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)
    return SwitchOutput.parse(JSON.parse(json))
  } catch (cause) {
    const advice = 'Its version may be too old or too new: use the provider git.'
    throw new LoopError(
      'workspace-failed',
      `wt did not print the path of the worktree. ${advice}`,
      {
        cause,
      },
    )
  }
}

async function createEnvironment(
  git: RunGit,
  repository: Repository,
): Promise<Record<string, string>> {
  const { folder } = await findGit(listProjectFolders(repository))
  const filters = await listFilters(git, repository)
  const disabled = filters.flatMap((name) => [
    [`filter.${name}.clean`, ''],
    [`filter.${name}.smudge`, ''],
    [`filter.${name}.process`, ''],
    [`filter.${name}.required`, 'false'],
  ])
  return {
    ...gitEnvironment({}, folder),
    ...configuration({ ...settings, ...Object.fromEntries(disabled) }),
    // For its own configuration in the user's home directory.
    ...defined({ HOME: process.env['HOME'] }),
    NO_COLOR: '1',
  }
}

async function listFilters(git: RunGit, { commonDir }: Repository): Promise<readonly string[]> {
  const { stdout } = await git({
    at: { gitDir: commonDir },
    command: 'config',
    options: ['--list', '--name-only', '-z'],
  })
  const names = stdout.toString('utf8').split('\0')
  const found = names.map((name) => /^filter\.(.+)\.[a-z]+$/is.exec(name)?.[1])
  return [...new Set(found.filter((name) => name !== undefined))]
}
