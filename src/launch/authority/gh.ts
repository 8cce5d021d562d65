/** The program `gh` of the operator, with the operator's login. It reads no repository. */

import { homedir } from 'node:os'
import type { RunGh } from '../../authority/index.ts'
import { LoopError } from '../../loop/index.ts'
import { findOnPath, runProgram } from '../../workspace/index.ts'

const timeoutMs = 60_000

/** Not one of the project: its folders are ignored. */
export async function findGh(projectFolders: readonly string[]): Promise<RunGh> {
  const [program] = await findOnPath('gh', { projectFolders })
  if (program === undefined) {
    throw new LoopError(
      'missing-program',
      'gh is not installed; it is needed to read issues, pull requests and CI, to comment, and to open pull requests. ' +
        'Install it (https://cli.github.com), then log in: gh auth login',
    )
  }
  return async (args, { input, signal }) => {
    const name = `gh ${args.slice(0, 2).join(' ')}`
    const { stdout } = await runProgram(
      { name, program, args, env: ghEnvironment() },
      { timeoutMs, signal, ...(input === undefined ? {} : { input: Buffer.from(input) }) },
    )
    return stdout.toString('utf8')
  }
}

const passedOn = /^(GH_\w+|GITHUB_TOKEN|XDG_CONFIG_HOME|HTTPS_PROXY|https_proxy|NO_PROXY)$/

const ghEnvironment = (): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => passedOn.test(entry[0]) && entry[1] !== undefined,
    ),
  ),
  HOME: homedir(),
  PATH: ['/usr/local/bin', '/usr/bin', '/bin'].join(':'),
  GH_PROMPT_DISABLED: '1',
  GH_NO_UPDATE_NOTIFIER: '1',
  NO_COLOR: '1',
})

/** `https://host/owner/name.git` and `git@host:owner/name` as `host/owner/name`. */
export function ownerAndName(url: string): string {
  const found =
    /^(?:https:\/\/|ssh:\/\/)?(?:[^@/\s]+@)?([^/:\s]+)?(?::\d+)?[/:](\S+?)(?:\.git)?\/?$/.exec(
      url.replace(/^file:\/\//, ''),
    )
  const path = (found?.[2] ?? '').split('/').slice(-2)
  const host = found?.[1]
  if (path.length === 2 && path.every((part) => part !== '')) {
    return [...(host === undefined ? [] : [host]), ...path].join('/')
  }
  const message = 'The URL of the remote does not contain the owner and name of the repository.'
  throw new LoopError('bad-request', `${message} Pass another remote with --remote.`)
}
