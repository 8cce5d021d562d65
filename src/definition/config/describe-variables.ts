/** The variables of the environment that mean something, for people. */

import { settingRules, variableOf } from '../../protocol/config/setting-rules.ts'

const others = [
  ['LOOPWRIGHT_STATE', 'the folder of the record (--state)'],
  ['LOOP_CONFIG', 'a file of configuration (--config)'],
  ['LOOPD_ADDR', 'the daemon to talk to (--addr); daemon.address'],
  ['LOOPD_TOKEN', 'the token for it (--token)'],
  ['LOOPD_AUTH_TOKEN', 'of loopd: its token, in place of the file'],
  ['LOOP_USE_DAEMON', '0: without a daemon (--no-daemon); daemon.use'],
  ['NO_COLOR, FORCE_COLOR', 'colours, as everywhere; --color comes first'],
  ['DEBUG=loopwright', 'where an unexpected error comes from'],
] as const

export function describeVariables(): string {
  const settings = settingRules.map((rule) => [variableOf(rule), `${rule.name}: ${rule.expected}`])
  const width = Math.max(...settings.map(([name = '']) => name.length))
  const table = (rows: readonly (readonly string[])[]): string =>
    rows.map(([name = '', what = '']) => `  ${name.padEnd(width)}  ${what}`).join('\n')
  return `Variables:\n${table(others)}\n\nOne for each setting (loopctl help config):\n${table(settings)}`
}
