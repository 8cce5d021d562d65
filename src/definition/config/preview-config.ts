/** Describes a config file for the user who is asked to trust it. */

import { existsSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import type { LoopPreview } from '../load-options.ts'
import { describeProblem, type LoopFileProblem } from '../loop-file/loop-file-error.ts'
import { openTrust } from '../loop-file/trust.ts'
import { ConfigError } from './config-error.ts'
import { configName, type Environment, formatOf, loopConfigName } from './find-files.ts'
import { type ReadConfigFile, readConfigFile } from './read-config-file.ts'

/** Decides by the name: any other file is a loop file. */
export function isConfigFile(path: string): boolean {
  const whole = resolve(path)
  return basename(whole) === configName || whole.endsWith(`/${loopConfigName}`)
}

export async function previewConfig(
  path: string,
  folder: string,
  environment: Environment = process.env,
): Promise<LoopPreview> {
  const file = resolve(path)
  const { entries, digest } = await readFileAlone(file, folder, environment)
  return {
    file,
    digest,
    trusted: await openTrust(folder).isTrusted({ file, digest }),
    powers: entries.map(
      ({ rule, value }) =>
        `sets ${rule.name} to ${rule.show(value)}, for loops in ${dirname(file)}`,
    ),
    variables: [],
  }
}

/** Rejects with `bad-config`, which has every problem with its position. */
export const readFileAlone = (
  path: string,
  folder: string,
  environment: Environment = process.env,
): Promise<ReadConfigFile> =>
  readConfigFile(
    { path: resolve(path), format: formatOf(path), of: 'project' },
    { folder, environment },
  )

export interface ConfigReport {
  readonly file: string
  readonly ok: boolean
  readonly problems: readonly (Partial<LoopFileProblem> & { readonly text: string })[]
  /** Keys that change nothing. */
  readonly notes: readonly string[]
}

export async function checkConfig(path: string, folder: string): Promise<ConfigReport> {
  if (!existsSync(path)) {
    const message = `The file ${path} does not exist. Pass another, or none to check all config files.`
    throw new LoopError('unknown-file', message)
  }
  try {
    const { notes } = await readFileAlone(path, folder)
    return { file: path, ok: true, problems: [], notes }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const problems = error.problems.map((problem) => ({
      ...problem,
      text: describeProblem(problem),
    }))
    return { file: path, ok: false, problems, notes: [] }
  }
}
