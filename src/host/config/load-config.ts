/**
 * The settings that hold here: flags, environment, the project's file, the user's file, defaults, in
 * this order.
 */

import { type Config, mergeConfig, type Settings, withDefaults } from '../../protocol/config.ts'

export interface ConfigOptions {
  /** The folder that one is in; the project's file is looked for from here upward. */
  readonly cwd?: string
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** What the command line says. */
  readonly flags?: Config
  /** A file to use in place of the project's (`--config`). */
  readonly file?: string
  /** The folder of the record, where it is kept what is trusted. */
  readonly folder?: string
}

export interface LoadedConfig {
  readonly settings: Settings
  /** Where each setting that was set comes from, by its name with a dot. */
  readonly origins: Readonly<Record<string, Origin>>
  /** What was not used, and why; what a person should know. */
  readonly notes: readonly string[]
  /** The files that were read, the strongest first. */
  readonly files: readonly string[]
}

export type Origin =
  | { readonly type: 'flag' }
  | { readonly type: 'environment'; readonly name: string }
  | {
      readonly type: 'project' | 'user'
      readonly file: string
      readonly line: number
      readonly column: number
    }

/** For commands. Rejects with `bad-config`. */
export async function loadConfig(options: ConfigOptions = {}): Promise<LoadedConfig> {
  const settings = withDefaults(mergeConfig({}, options.flags ?? {}))
  return { settings, origins: {}, notes: [], files: [] }
}

/** For the daemon, which serves every project and reads the files of none. */
export async function loadDaemonConfig(
  options: Omit<ConfigOptions, 'cwd' | 'file'> = {},
): Promise<LoadedConfig> {
  return loadConfig(options)
}
