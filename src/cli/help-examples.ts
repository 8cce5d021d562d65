/** The examples in the help of each command, by its name. A test requires at least one for every command. */

import type { Command } from 'commander'

const examples: Readonly<Record<string, readonly string[]>> = {
  run: [
    'loopctl run',
    'loopctl run loops/fix.yaml --dry-run',
    "loopctl run --agent claude --check 'npm test' -p 'Fix the failing test.'",
    "loopctl run --check unit='npm test' -p @task.md",
  ],
  resume: ['loopctl resume brave-owls-jump', 'loopctl resume brave-owls-jump --from 3'],
  fork: [
    'loopctl fork brave-owls-jump --at 2',
    'loopctl fork brave-owls-jump --file other-prompt.yaml',
  ],
  retry: ['loopctl retry brave-owls-jump'],
  watch: ['loopctl watch brave-owls-jump'],
  replay: ['loopctl replay brave-owls-jump'],
  dashboard: ['loopctl dashboard'],
  schedule: ['loopctl schedule add triage.yaml "daily 09:00"', 'loopctl schedule list'],
  'schedule add': [
    'loopctl schedule add triage.yaml "daily 09:00" --tz Europe/Berlin',
    'loopctl schedule add sweep.yaml "every 10m" --hours "mon-fri 09:00-17:00"',
    'loopctl schedule add notes.yaml --on-branch main',
  ],
  'schedule list': ['loopctl schedule list', 'loopctl --json schedule list'],
  'schedule show': ['loopctl schedule show triage'],
  'schedule pause': ['loopctl schedule pause triage', 'loopctl schedule pause --all'],
  'schedule resume': ['loopctl schedule resume triage', 'loopctl schedule resume --all'],
  'schedule run-now': ['loopctl schedule run-now triage'],
  'schedule remove': ['loopctl schedule remove triage'],
  demo: ['loopctl demo', 'loopctl demo --agent claude'],
  init: [
    'loopctl init',
    "loopctl init --yes --agent claude --check 'npm test'",
    "loopctl init docs -p 'Document every export.' --check 'npm run docs:check'",
  ],
  catalog: ['loopctl catalog', 'loopctl catalog add daily-triage'],
  'catalog show': ['loopctl catalog show ci-sweeper'],
  'catalog add': [
    'loopctl catalog add daily-triage',
    "loopctl catalog add ci-sweeper --agent claude --check 'npm test'",
  ],
  validate: ['loopctl validate fix-tests.yaml', 'loopctl validate loops/*.yaml'],
  trust: ['loopctl trust', 'loopctl trust fix-tests.yaml'],
  tools: ['loopctl tools', 'loopctl tools file --loop fix-tests.yaml'],
  prompt: ['loopctl prompt fix-tests.yaml'],
  preflight: ['loopctl preflight fix-tests.yaml', 'loopctl preflight fix-tests.yaml --dirty'],
  forget: ['loopctl forget', 'loopctl forget brave-owls-jump'],
  calibrate: ['loopctl calibrate fix-tests.yaml', 'loopctl calibrate fix-tests.yaml --defects 50'],
  agents: ['loopctl agents', 'loopctl agents test claude'],
  'agents add': ['loopctl agents add codex'],
  'agents remove': ['loopctl agents remove codex'],
  'agents test': ['loopctl agents test claude', 'loopctl agents test openai/gpt-5'],
  list: ['loopctl list', 'loopctl list --status waiting --limit 20', 'loopctl list --loops'],
  inspect: ['loopctl inspect brave-owls-jump'],
  queue: ['loopctl queue'],
  tail: ['loopctl tail -f brave-owls-jump', 'loopctl tail brave-owls-jump --after 120'],
  output: ['loopctl output brave-owls-jump', 'loopctl output -f brave-owls-jump'],
  report: ['loopctl report --since 7d', 'loopctl report calm-otter --html'],
  show: ['loopctl show brave-owls-jump', 'loopctl show brave-owls-jump 2 --check test'],
  diff: ['loopctl diff brave-owls-jump', 'loopctl diff brave-owls-jump --stat'],
  certify: ['loopctl certify', "loopctl certify . --check test='npm test' --base main"],
  verify: [
    'loopctl verify brave-owls-jump --repo .',
    'loopctl verify handed-over/certificate.json --trusted their-keys.json',
  ],
  certificate: ['loopctl certificate', 'loopctl certificate brave-owls-jump --out handed-over'],
  keys: ['loopctl keys list', 'loopctl keys export > my-keys.json'],
  'keys list': ['loopctl keys list'],
  'keys rotate': ['loopctl keys rotate'],
  'keys trust': ['loopctl keys trust their-keys.json'],
  'keys untrust': ['loopctl keys untrust 3f9a0c'],
  'keys export': ['loopctl keys export > my-keys.json'],
  policy: ['loopctl policy check', 'loopctl policy explain brave-owls-jump'],
  'policy check': ['loopctl policy check', 'loopctl policy check policy/*.cedar'],
  'policy explain': ['loopctl policy explain brave-owls-jump'],
  'policy backtest': ['loopctl policy backtest policy/new.cedar'],
  inbox: ['loopctl inbox'],
  answer: [
    'loopctl answer brave-owls-jump tone friendly',
    'loopctl answer brave-owls-jump --accept',
    'loopctl answer brave-owls-jump --respond "Keep the old name."',
  ],
  tell: [
    'loopctl tell brave-owls-jump "Keep the old name."',
    'loopctl tell brave-owls-jump "Use the clock here." --file src/shop.ts --line 12',
  ],
  pause: ['loopctl pause brave-owls-jump'],
  limits: [
    'loopctl limits brave-owls-jump',
    "loopctl limits brave-owls-jump --iterations 200 --reason 'almost there'",
  ],
  stop: ['loopctl stop brave-owls-jump'],
  cancel: ['loopctl cancel brave-owls-jump'],
  merge: ['loopctl merge brave-owls-jump', 'loopctl merge brave-owls-jump --into main'],
  land: ['loopctl land brave-owls-jump --onto main'],
  scrap: ['loopctl scrap brave-owls-jump'],
  reset: ['loopctl reset brave-owls-jump --yes'],
  'create-pr': ['loopctl create-pr brave-owls-jump --draft'],
  actions: ['loopctl actions brave-owls-jump', 'loopctl actions --facts'],
  analyze: ['loopctl analyze brave-owls-jump', 'loopctl analyze --latest'],
  worktrees: ['loopctl worktrees', 'loopctl worktrees --repo .'],
  'worktrees clean': ['loopctl worktrees clean --dry-run'],
  'worktree-rm': ['loopctl worktree-rm brave-owls-jump'],
  levels: ['loopctl levels', 'loopctl levels dependency-sweeper'],
  'levels set': [
    'loopctl levels set dependency-sweeper 3 --kind open-pr --reason "a month without faults"',
  ],
  'levels accept': ['loopctl levels accept dependency-sweeper'],
  'levels bars': [
    'loopctl levels bars ci-sweeper --level 3 --bar 0.95 --minimum 60 --reason "it deploys"',
  ],
  memory: ['loopctl memory list daily-triage', 'loopctl memory show m12'],
  'memory list': ['loopctl memory list daily-triage', 'loopctl memory list --search "flaky test"'],
  'memory show': ['loopctl memory show m12'],
  'memory forget': ['loopctl memory forget m12', 'loopctl memory forget --all-of daily-triage'],
  export: ['loopctl export brave-owls-jump > checkpoint.json'],
  files: ['loopctl files 3f9a0c restored'],
  rm: ['loopctl rm brave-owls-jump'],
  gc: ['loopctl gc'],
  daemon: ['loopctl daemon status', 'loopctl daemon logs -f'],
  'daemon start': ['loopctl daemon start', 'loopctl daemon start --max-concurrent-runs 5'],
  'daemon stop': ['loopctl daemon stop'],
  'daemon restart': ['loopctl daemon restart'],
  'daemon status': ['loopctl daemon status'],
  'daemon logs': ['loopctl daemon logs -f', 'loopctl daemon logs -n 20'],
  'daemon token': ['loopctl daemon token --rotate', 'loopctl daemon token add anna'],
  'daemon token add': ['loopctl daemon token add anna', 'loopctl daemon token add kim --read-only'],
  'daemon token list': ['loopctl daemon token list'],
  'daemon token remove': ['loopctl daemon token remove anna'],
  'daemon install': ['loopctl daemon install --print'],
  config: ['loopctl config show --origin'],
  'config show': ['loopctl config show', 'loopctl config show --origin'],
  'config path': ['loopctl config path'],
  'config check': ['loopctl config check', 'loopctl config check loopwright.yaml'],
  'config schema': ['loopctl config schema > loopwright.schema.json'],
  completion: ['source <(loopctl completion bash)'],
  tune: [
    'loopctl tune',
    'loopctl tune --manifest evals/loop.manifest.json --answers answers.yaml',
    'loopctl tune --continue calm-otter',
  ],
  'tune log': ['loopctl tune log calm-otter > LOOP_LOG.md'],
  'tune show': ['loopctl tune show calm-otter', 'loopctl --json tune show calm-otter'],
  doctor: ['loopctl doctor', 'loopctl doctor --probes'],
  help: ['loopctl help run', 'loopctl help daemon start', 'loopctl help exit-codes'],
}

/** The description of a command, followed by its examples, so that they come before its options. */
export function describeWithExamples(command: Command): string {
  const lines = examples[commandPath(command)]
  if (lines === undefined) return command.description()
  return [command.description(), '', 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n')
}

/** Without the name of the program: `daemon start`. */
function commandPath(command: Command): string {
  const names: string[] = []
  for (let at = command; at.parent !== null; at = at.parent) names.unshift(at.name())
  return names.join(' ')
}
