// Codex as it was observed to behave, and to misbehave. FAKE_MODE selects how.

import { play } from './recorded-program.mjs'

const withoutEnd = (all) => all.slice(0, all.lastIndexOf('{'))
const cutInTheEnd = (all) => all.slice(0, -40)
const goingOn = (all) => `${all}${all.split('\n').at(-3)}\n`
const declined = (all) =>
  all.replace('"exit_code":1,"status":"failed"', '"exit_code":null,"status":"declined"')
const amongNoise = (all) =>
  `\nWelcome!\n${all.replaceAll('\n', '\r\n\0\n{"type":"new.kind","deep":[[[]]]}\n[1,2]\n{"type":\n')}`

const modes = {
  done: { lines: 'done' },
  noisy: { lines: 'done', edit: amongNoise, stderr: '{"type":"turn.completed"}\n' },
  patch: { lines: 'patch' },
  'failed-tool': { lines: 'failed-tool' },
  warned: { lines: 'warned' },
  'sandbox-refused': { lines: 'sandbox-refused' },
  401: { lines: '401', exit: 1 },
  500: { lines: '500', exit: 1 },
  'too-long': { lines: 'too-long', exit: 1 },
  cut: { lines: 'cut', exit: 1 },
  garbage: { lines: 'garbage', exit: 1 },
  'cut-off': { lines: 'cut-off', exit: 1 },
  'model-refused': { lines: 'model-refused', exit: 1 },
  interrupted: { lines: 'interrupted', exit: 1 },
  terminated: { lines: 'terminated', exit: 143 },
  // Not recorded: variations of the above.
  declined: { lines: 'failed-tool', edit: declined },
  'error-exit-0': { lines: '500' },
  'done-exit-1': { lines: 'done', exit: 1 },
  'done-killed': { lines: 'done', kill: 'SIGKILL' },
  'no-result': { lines: 'done', edit: withoutEnd },
  'result-cut': { lines: 'done', edit: cutInTheEnd },
  'goes-on': { lines: 'done', edit: goingOn },
  nothing: {},
  'not-started': { exit: 1, stderr: 'Error loading config.toml: invalid transport\n' },
  silent: { lines: 'silent', hang: true },
  'silent-at-once': { hang: true },
  lingers: { lines: 'done', hang: true },
  'lingers-failed': { lines: '500', hang: true },
}

await play(
  'codex',
  modes[process.env.FAKE_MODE],
  ['exec', '--json', '--ignore-user-config', '--ignore-rules', '--skip-git-repo-check'],
  ['LOOPWRIGHT_SESSION', 'CODEX_HOME'],
)
