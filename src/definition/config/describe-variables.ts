/** The help text about environment variables. */

import { settingRules, toEnvironmentVariable } from '../../protocol/config/setting-rules.ts'

const others = [
  ['LOOPWRIGHT_STATE', 'state folder (--state)'],
  ['LOOP_CONFIG', 'config file (--config)'],
  ['LOOPD_ADDR', 'address of the daemon (--addr); daemon.address'],
  ['LOOPD_TOKEN', 'token for the daemon (--token)'],
  ['LOOPD_AUTH_TOKEN', 'for loopd: its token; overrides the token file'],
  ['LOOP_USE_DAEMON', '0: run without the daemon (--no-daemon); daemon.use'],
  ['NO_COLOR, FORCE_COLOR', 'when to use color; --color overrides them'],
  ['DEBUG=loopwright', 'print the stack of an unexpected error'],
] as const

export function describeVariables(): string {
  const settings = settingRules.map((rule) => [
    toEnvironmentVariable(rule),
    `${rule.name}: ${rule.expected}`,
  ])
  const width = Math.max(...settings.map(([name = '']) => name.length))
  const table = (rows: readonly (readonly string[])[]): string =>
    rows.map(([name = '', what = '']) => `  ${name.padEnd(width)}  ${what}`).join('\n')
  return `Variables:\n${table(others)}\n\nOne for each setting (loopctl help config):\n${table(settings)}`
}
