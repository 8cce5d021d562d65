// Claude Code as it was observed to behave, and to misbehave. FAKE_MODE selects how.

import { play } from './recorded-program.mjs'

const withoutEnd = (all) => all.slice(0, all.lastIndexOf('{'))
const cutInTheEnd = (all) => all.slice(0, -40)
/** The first of two: a background command is still running. */
const untilResult = (all) => all.slice(0, all.indexOf('\n', all.indexOf('"type":"result"')) + 1)
const goingOn = (all) => `${all}${all.split('\n').at(-3)}\n`
const amongNoise = (all) =>
  `\nWelcome!\n${all.replaceAll('\n', '\r\n\0\n{"type":"new_kind","deep":[[[]]]}\n[1,2]\n{"type":\n')}`

const modes = {
  done: { lines: 'done' },
  noisy: { lines: 'done', edit: amongNoise, stderr: '{"type":"result","subtype":"success"}\n' },
  refused: { lines: 'refused' },
  401: { lines: '401', exit: 1 },
  429: { lines: '429', exit: 1 },
  500: { lines: '500', exit: 1 },
  529: { lines: '529', exit: 1 },
  'too-long': { lines: 'too-long', exit: 1 },
  cut: { lines: 'cut', exit: 1 },
  garbage: { lines: 'garbage', exit: 1 },
  'cut-off': { lines: 'cut-off', exit: 1 },
  'model-refused': { lines: 'model-refused', exit: 1 },
  'max-turns': { lines: 'max-turns', exit: 1 },
  budget: { lines: 'budget', exit: 1 },
  'interrupted-tools': { lines: 'interrupted-tools' },
  'interrupted-stream': { lines: 'interrupted-stream' },
  terminated: { lines: 'terminated', exit: 143 },
  'own-command': { lines: 'own-command' },
  background: { lines: 'background' },
  // Not recorded: variations of the above.
  'error-exit-0': { lines: '500' },
  'done-exit-1': { lines: 'done', exit: 1 },
  'done-killed': { lines: 'done', kill: 'SIGKILL' },
  'no-result': { lines: 'done', edit: withoutEnd },
  'result-cut': { lines: 'done', edit: cutInTheEnd },
  'goes-on': { lines: 'done', edit: goingOn },
  nothing: {},
  'not-started': { exit: 1, stderr: 'Invalid API key · Please run /login\n' },
  silent: { lines: 'terminated', hang: true },
  'background-hangs': { lines: 'background', edit: untilResult, hang: true },
  'silent-at-once': { hang: true },
  lingers: { lines: 'done', hang: true },
  'lingers-failed': { lines: '500', hang: true },
  'lingers-refused': { lines: 'refused', hang: true },
}

await play(
  'claude',
  modes[process.env.FAKE_MODE],
  ['--setting-sources=user', '--strict-mcp-config', '--output-format=stream-json'],
  ['ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY', 'CLAUDE_CONFIG_DIR'],
)
