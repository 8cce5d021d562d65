/** Reads one config file: its settings, and whether its content is trusted. */

import { basename, dirname, resolve } from 'node:path'
import type { SettingValue } from '../../protocol/config/setting-rules.ts'
import { digestFiles, sha256 } from '../../system/index.ts'
import { readPlainFile } from '../loop-file/read-loop-file.ts'
import { readSource } from '../loop-file/source-text.ts'
import { openTrust } from '../loop-file/trust.ts'
import { type ConfigEntry, withHome } from './config-entry.ts'
import { ConfigError } from './config-error.ts'
import { type ConfigFile, type Environment, homeOf, loopConfigName } from './find-files.ts'
import { type ReadConfig, readLoopConfig } from './read-loop-config.ts'

export interface ReadConfigFile extends Pick<ReadConfig, 'entries' | 'notes'> {
  readonly digest: string
  readonly isTrusted: boolean
}

/** Rejects with `bad-config`, which has every problem with its position. */
export async function readConfigFile(
  { path, format, of }: ConfigFile,
  { folder, environment }: { readonly folder: string; readonly environment: Environment },
): Promise<ReadConfigFile> {
  const refuse = (reason: string): never => {
    throw new ConfigError(path, [{ file: path, line: 1, column: 1, path: 'the file', reason }])
  }
  const bytes = await readPlainFile(path).catch((error: unknown) =>
    refuse(`it cannot be read: ${error instanceof Error ? error.message : String(error)}`),
  )
  const digest = digestFiles([{ path: basename(path), sha256: sha256(bytes) }])
  const read = readSource(bytes)
  if (read.type === 'refused') {
    throw new ConfigError(path, [{ file: path, path: 'the file', ...read.problem }])
  }
  const { entries, problems, notes } =
    format === 'yaml'
      ? await (await import('./read-yaml-config.ts')).readYamlConfig(read.source, path, of)
      : readLoopConfig(read.source.text, path, of)
  if (problems.length > 0) throw new ConfigError(path, problems)
  const isTrusted = of === 'user' || (await openTrust(folder).isTrusted({ digest, file: path }))
  return {
    entries: entries.map((entry) =>
      atFolder(atHome(entry, homeOf(environment)), path, environment),
    ),
    notes,
    digest,
    isTrusted,
  }
}

const paths = [
  'artifacts.logDir',
  'artifacts.globalDir',
  'daemon.tlsCert',
  'daemon.tlsKey',
  'skills.builtInDir',
  'skills.syncDir',
]

const atHome = (entry: ConfigEntry, home: string): ConfigEntry =>
  paths.includes(entry.rule.name) ? { ...entry, value: withHome(String(entry.value), home) } : entry

/** Policy files and the prompt are named relative to the file that names them. */
const atFolder = (entry: ConfigEntry, file: string, environment: Environment): ConfigEntry =>
  entry.rule.project === 'more'
    ? { ...entry, value: resolvePaths(entry.value, dirname(file), environment) }
    : atProject.includes(entry.rule.name)
      ? { ...entry, value: resolvePaths(entry.value, projectOf(file), environment).join('') }
      : entry

/** Named relative to the project. */
const atProject = ['build.promptFile', 'skills.builtInDir', 'skills.syncDir']

/** `.loop/config` is in a folder of the project. */
const projectOf = (file: string): string =>
  file.endsWith(`/${loopConfigName}`) ? dirname(dirname(file)) : dirname(file)

const resolvePaths = (
  value: SettingValue,
  folder: string,
  environment: Environment,
): readonly string[] =>
  [value].flat().map((path) => resolve(folder, withHome(String(path), homeOf(environment))))
