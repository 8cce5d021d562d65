/** Loop files that are right, one for each form that a part can have. */

const plain = `# yaml-language-server: $schema=./node_modules/loopwright/schemas/loop.schema.json
loop: plain
name: fix-sum
description: Makes the tests pass.
workspace: ./project
input: { goal: Make the tests pass., depth: 3, deep: { list: [1, two, null, true] } }
prompt: |
  {{ input.goal }}

  {{ progress }}
agent: { command: [claude, -p], env: [ANTHROPIC_API_KEY], timeout: 30m, subscription: true }
checks:
  test: npm test
  lint: { run: [npx, biome, check], timeout: 2m, env: { CI: "1" } }
until: [{ type: checks-pass }, { type: no-progress, iterations: 3 }]
limits: { iterations: 20, tokens: 200000, cost: 1.5, time: 2h, deadline: 2027-01-01T00:00:00Z, sameErrors: 3 }
context: { tokens: 100000 }
progress: { entries: 5, chars: 500 }
exclude: [node_modules, .venv]
sandbox:
  require: strong
  readOnly: [../shared, /opt/data]
  hide: [.env, secrets/keys]
  network: [registry.npmjs.org, "*.example.com:8443"]
  limits: { memory: 4GB, processes: 1024, cpus: 1.5, cpuTime: 1h, file: 1GB, output: 1GB, tmp: 512MB, workspace: 4GB }
`

const sections = `prompt:
  - name: rules
    text: "Never touch the tests. \\u00e9 {{ workspace }}"
    stable: true
    required: true
    priority: 900
  - { name: task, file: prompt.md, keep: start }
  - name: history
    text: >-
      What happened so far:
      {{ progress }}
    keep: end
agent:
  model: anthropic/claude-sonnet-5
  system: 'You are careful.'
  turns: 30
  maxOutputTokens: 4096
  temperature: 0.2
  baseUrl: http://127.0.0.1:8080/v1
  apiKeyEnv: MY_KEY
tools: [read, edit, run, files__read_file]
mcp:
  files: { command: [mcp-server-filesystem, .], env: [TOKEN] }
  web:
    url: http://127.0.0.1:3000/mcp
    headers: { Authorization: "Bearer \${TOKEN}" }
checks: { test: [npm, test] }
sandbox: { require: none }
`

const script = `prompt: { file: prompt.md }
agent:
  script:
    - - { call: write, args: { path: a.txt, content: hi }, say: first, usage: { tokens: 10, cost: 0.01 } }
      - say: done
    - - { call: run, args: { command: [make, all] } }
      - { say: "" }
checks: &checks
  test: &command { run: make test, timeout: 90s }
  again: *command
until:
  - type: all
    of:
      - { type: checks-pass, checks: [test, again] }
      - type: any
        of: [{ type: max-iterations, iterations: 2 }, { type: budget, tokens: 5, cost: 0.5, time: 1h }]
  - { type: same-error, times: 2 }
  - { type: deadline, at: 2027-06-01T12:00:00+02:00 }
`

const json = JSON.stringify(
  {
    loop: 'plain',
    prompt: 'Do it.\n{{ progress }}',
    agent: { model: 'openai/gpt-5' },
    checks: { test: { run: 'make', timeout: '1m' } },
    tools: [],
  },
  null,
  2,
)

const named = `prompt: x
agent: claude
checks: { test: npm test }
`

const program = `prompt: x
agent: { program: codex, model: gpt-5, turns: 50, args: [--color, never], env: [MINE], timeout: 1h, idle: 2m, subscription: false }
checks: { test: npm test }
`

const acp = `prompt: x
agent: { acp: gemini, permissions: edits, model: gemini-2.5-flash, args: [--debug], idle: 90s }
checks: { test: npm test }
`

const acpCommand = `prompt: x
agent: { acp: [my-agent, --acp], permissions: none }
checks: { test: npm test }
`

const repair = `agent: repair
checks: { test: npm test }
`

const repairSettings = `agent: { repair: { seed: 7, edits: 500, time: 2m, heldBack: 0.5 } }
checks: { test: [node, --test] }
`

const standard = `prompt: x
agent: claude
checks:
  - all_tests_pass
  - { name: linting_clean, timeout: 1m, existing: allow }
  - { name: build, condition: build_succeeds, outputs: [dist, packages/a/out], env: { CI: "1" } }
  - { name: unit, run: [node, --test], existing: fix }
seals: { paths: ["spec/**"], except: [test/fixtures/**], keys: { package.json: [scripts.test, jest] }, changes: refuse }
`

const judged = `prompt: x
agent: { command: [my-agent] }
mcp: { bugs: { url: http://127.0.0.1:3000/mcp } }
checks:
  test: { condition: all_tests_pass }
  bugs: { tool: bugs__count, args: { state: open }, expect: { count: 0 }, timeout: 5s }
  style: { judge: { model: openai/gpt-5, turns: 10 }, prompt: Is it documented?, timeout: 2m }
certify:
  dependencies: carry
  teeth: false
  consult: [{ name: security, agent: gemini, prompt: Look for misuse., timeout: 20m }]
  deadline: 8h
`

export const loopFileSeeds: readonly string[] = [
  plain,
  sections,
  script,
  json,
  named,
  program,
  acp,
  acpCommand,
  repair,
  repairSettings,
  standard,
  judged,
]
