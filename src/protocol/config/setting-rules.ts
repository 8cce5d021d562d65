/**
 * Every setting: its name, its text form, and what the config file of an untrusted project may do with
 * it. Pure, and without the schema library.
 */

import { parseDuration } from '../../loop/index.ts'
import type { Config } from './config.ts'

/**
 * `any`: a project may set it. `less`: it may only lower the user's value. `off`: it may only turn it
 * off. `more`: it may only add to the user's values. `inside`: it may name a path inside the workspace. `trusted`: only a trusted file may set it,
 * because it reaches outside the project or costs money. `user`: only the user may set it, because the
 * daemon serves every project.
 */
export type ProjectScope = 'any' | 'less' | 'more' | 'off' | 'inside' | 'trusted' | 'user'

export type SettingValue = string | number | boolean | readonly string[]

export interface SettingRule {
  /** The key in `loopwright.yaml`. */
  readonly name: string
  /** Its path in a `Config`. */
  readonly at: readonly [keyof Config] | readonly [keyof Config, string]
  readonly project: ProjectScope
  /** Environment variables besides its standard one, `LOOPWRIGHT_…`. */
  readonly variables: readonly string[]
  /** Parses the text form of environment variables and `.loop/config`; undefined if it is invalid. */
  read(text: string): SettingValue | undefined
  /** What a valid value looks like, for messages. */
  readonly expected: string
  /** The text form. */
  show(value: SettingValue): string
}

type Kind = Pick<SettingRule, 'read' | 'expected' | 'show'>

const show = (value: SettingValue): string =>
  typeof value === 'object' ? value.join(' | ') : String(value)

const text: Kind = { read: (written) => written, expected: 'text', show }

const whole = (min: number, max: number): Kind => ({
  read: (written) => {
    const number = /^\d{1,13}$/.test(written) ? Number(written) : Number.NaN
    return number >= min && number <= max ? number : undefined
  },
  expected: `a whole number from ${min} to ${max}`,
  show,
})

const choice = (...of: readonly string[]): Kind => ({
  // The legacy format writes newest_first.
  read: (written) => of.find((option) => option === written.replaceAll('_', '-')),
  expected: of.join(' or '),
  show,
})

const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  1: true,
  false: false,
  no: false,
  off: false,
  0: false,
}

const flag: Kind = {
  read: (written) => booleans[written.toLowerCase()],
  expected: 'true or false',
  show,
}

const dollars: Kind = {
  read: (written) =>
    /^\d{1,7}(\.\d{1,6})?$/.test(written) ? Math.round(Number(written) * 1e6) : undefined,
  expected: 'dollars, such as 1.50',
  show: (value) => `${Number(value) / 1e6}`,
}

const duration: Kind = {
  read: (written) => {
    const ms = parseDuration(written)
    return ms !== undefined && ms >= 1 && ms <= 365 * 86_400_000 ? ms : undefined
  },
  expected: 'a duration with its unit, such as 30s, 10m or 2h',
  show: (value) => (Number(value) % 1000 === 0 ? `${Number(value) / 1000}s` : `${Number(value)}ms`),
}

const listOf = (what: string): Kind => ({
  read: (written) =>
    written
      .split('|')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  expected: `${what} separated by |`,
  show,
})

const rule = (
  name: string,
  kind: Kind,
  project: ProjectScope,
  more: { readonly key?: string; readonly variables?: readonly string[] } = {},
): SettingRule => {
  const [group, key] = name.split('.') as [keyof Config, string | undefined]
  const at = key === undefined ? ([group] as const) : ([group, more.key ?? key] as const)
  return { name, at, project, variables: more.variables ?? [], ...kind }
}

export const settingRules: readonly SettingRule[] = [
  rule('model', text, 'trusted'),
  rule('daemon.use', flag, 'trusted', { variables: ['LOOP_USE_DAEMON'] }),
  rule('daemon.address', text, 'trusted', { variables: ['LOOPD_ADDR'] }),
  rule('daemon.hostname', text, 'user'),
  rule('daemon.port', whole(0, 65_535), 'user'),
  rule('daemon.tlsCert', text, 'user'),
  rule('daemon.tlsKey', text, 'user'),
  rule('daemon.maxConcurrentRuns', whole(1, 10_000), 'user'),
  rule('daemon.maxRunsPerWorkspace', whole(1, 10_000), 'user'),
  rule('daemon.queuePolicy', choice('fifo', 'newest-first', 'priority'), 'user'),
  rule('artifacts.mode', choice('workspace', 'global', 'mirror'), 'any'),
  rule('artifacts.logDir', text, 'inside'),
  rule('artifacts.globalDir', text, 'trusted'),
  rule('artifacts.postmortem', flag, 'off'),
  rule('artifacts.summary', flag, 'off'),
  rule('naming.source', choice('auto', 'model', 'file', 'words'), 'trusted'),
  rule('naming.model', text, 'trusted'),
  rule('limits.iterations', whole(1, 1_000_000), 'less'),
  rule('limits.tokens', whole(0, 1_000_000_000_000), 'less'),
  rule('limits.inputTokens', whole(0, 1_000_000_000_000), 'less'),
  rule('limits.outputTokens', whole(0, 1_000_000_000_000), 'less'),
  rule('limits.cost', dollars, 'less', { key: 'costMicros' }),
  rule('limits.time', duration, 'less', { key: 'timeMs' }),
  rule('limits.iterationTime', duration, 'less', { key: 'iterationTimeMs' }),
  rule('limits.iterationTokens', whole(0, 1_000_000_000_000), 'less'),
  rule('limits.iterationCost', dollars, 'less', { key: 'iterationCostMicros' }),
  rule('limits.agentTime', duration, 'less', { key: 'agentTimeMs' }),
  rule('worktree.base', text, 'trusted'),
  rule('worktree.path', text, 'trusted'),
  rule('worktree.branchPrefix', text, 'any'),
  rule('worktree.provider', choice('auto', 'git', 'worktrunk'), 'trusted'),
  rule('worktree.worktrunkProgram', text, 'trusted'),
  rule('worktree.worktrunkConfig', text, 'trusted'),
  rule('worktree.copyIgnored', flag, 'trusted'),
  rule('checks.commands', listOf('commands'), 'trusted'),
  rule('checks.timeout', duration, 'trusted', { key: 'timeoutMs' }),
  rule('build.specsDir', text, 'inside'),
  rule('build.plansDir', text, 'inside'),
  rule('build.review', flag, 'trusted'),
  rule('build.reviewModel', text, 'trusted'),
  rule('build.reviewFailures', whole(1, 100), 'less'),
  rule('build.verificationFailures', whole(1, 100), 'less'),
  rule('build.completionMode', choice('trailing', 'exact'), 'any'),
  rule('build.promptFile', text, 'trusted'),
  rule('build.contextFiles', listOf('files'), 'trusted'),
  rule('build.retries', whole(0, 20), 'trusted'),
  rule('build.retryDelay', duration, 'trusted', { key: 'retryDelayMs' }),
  rule('build.mergeTarget', text, 'trusted'),
  rule('build.mergeStrategy', choice('squash', 'merge', 'none'), 'trusted'),
  rule('build.cleanUp', flag, 'trusted'),
  rule('build.measure', text, 'trusted'),
  rule('skills.enabled', flag, 'trusted'),
  rule('skills.dirs', listOf('folders'), 'trusted'),
  rule('skills.builtInDir', text, 'trusted'),
  rule('skills.syncDir', text, 'trusted'),
  rule('skills.syncOnStart', flag, 'trusted'),
  rule('skills.maxImplementation', whole(0, 20), 'trusted'),
  rule('skills.maxReview', whole(0, 20), 'trusted'),
  rule('skills.references', flag, 'trusted'),
  rule('skills.maxChars', whole(100, 200_000), 'trusted'),
  rule('policy.enforce', listOf('policy files'), 'more'),
  rule('policy.monitor', listOf('policy files'), 'more'),
]

/** `daemon.maxConcurrentRuns` is `LOOPWRIGHT_DAEMON_MAX_CONCURRENT_RUNS`. */
export const toEnvironmentVariable = ({ name }: Pick<SettingRule, 'name'>): string =>
  `LOOPWRIGHT_${name
    .replaceAll('.', '_')
    .replaceAll(/[A-Z]/g, (letter) => `_${letter}`)
    .toUpperCase()}`

/** The settings that are present, each with its value. */
export function listSettings(config: Config): readonly (readonly [SettingRule, SettingValue])[] {
  return settingRules.flatMap((setting) => {
    const value = valueAt(config, setting)
    return value === undefined ? [] : [[setting, value] as const]
  })
}

export function valueAt(config: Config, { at }: SettingRule): SettingValue | undefined {
  const [group, key] = at
  const found: unknown = config[group]
  const value = key === undefined || found === undefined ? found : Object(found)[key]
  return value as SettingValue | undefined
}

/** The reverse of `entriesOf`. */
export function toConfig(entries: readonly (readonly [SettingRule, SettingValue])[]): Config {
  const config: Record<string, unknown> = {}
  for (const [{ at, project }, value] of entries) {
    const [group, key] = at
    const before: unknown = key === undefined ? undefined : Object(config[group])[key]
    const next = project === 'more' ? added(before, value) : value
    config[group] = key === undefined ? next : { ...Object(config[group]), [key]: next }
  }
  return config
}

const added = (before: unknown, value: SettingValue): readonly unknown[] => [
  ...new Set([before ?? [], value].flat()),
]
