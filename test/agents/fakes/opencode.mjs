// opencode as it was observed to behave, and to misbehave. FAKE_MODE selects how.

import { play } from './recorded-program.mjs'

const withoutEnd = (all) => all.slice(0, all.lastIndexOf('{'))
const cutInTheEnd = (all) => all.slice(0, -40)
const goingOn = (all) => `${all}${all.split('\n').at(-4)}\n`
const stoppedFor = (reason) => (all) => all.replace('"reason":"stop"', `"reason":"${reason}"`)
const amongNoise = (all) =>
  `\nWelcome!\n${all.replaceAll('\n', '\r\n\0\n{"type":"new_kind","deep":[[[]]]}\n[1,2]\n{"type":\n')}`

const modes = {
  done: { lines: 'done' },
  noisy: { lines: 'done', edit: amongNoise, stderr: '{"type":"step_finish"}\n' },
  'failed-tool': { lines: 'failed-tool' },
  400: { lines: '400', exit: 1 },
  401: { lines: '401', exit: 1 },
  'too-long': { lines: 'too-long', exit: 1 },
  'cut-off': { lines: 'cut-off' },
  'model-refused': { lines: 'model-refused', exit: 1 },
  wordless: { lines: 'wordless' },
  refused: { lines: 'refused', stderr: '! permission requested: edit (a.txt); auto-rejecting\n' },
  denied: { lines: 'denied' },
  terminated: { lines: 'retrying', exit: 143 },
  // Not recorded: variations of the above.
  'asked-nobody': { lines: 'done', stderr: '! permission requested: edit (a); auto-rejecting\n' },
  'error-exit-0': { lines: '401' },
  'done-exit-1': { lines: 'done', exit: 1 },
  'done-killed': { lines: 'done', kill: 'SIGKILL' },
  'ended-by-error': { lines: 'done', edit: stoppedFor('error') },
  'ended-by-new-reason': { lines: 'done', edit: stoppedFor('constructor') },
  'no-result': { lines: 'done', edit: withoutEnd },
  'result-cut': { lines: 'done', edit: cutInTheEnd },
  'goes-on': { lines: 'done', edit: goingOn },
  nothing: {},
  'not-started': { exit: 1, stderr: 'Error: Model not found: anthropic/claude-sonnet-5.\n' },
  // It retries forever, and prints nothing about it.
  retrying: { lines: 'retrying', hang: true },
  'silent-at-once': { hang: true },
  lingers: { lines: 'done', hang: true },
  'lingers-failed': { lines: '401', hang: true },
}

await play(
  'opencode',
  modes[process.env.FAKE_MODE],
  ['run', '--format', 'json', '--pure'],
  ['OPENCODE_CONFIG_CONTENT', 'OPENCODE_DISABLE_PROJECT_CONFIG', 'XDG_DATA_HOME'],
)
