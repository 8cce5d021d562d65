// Stands in for `gh`: issues, pull requests, comments and runs of CI in a folder, with the flags that the product
// uses and the JSON that gh prints. Usage: node gh.mjs <folder> <arguments of gh>. Tests write the folder with
// `openGithub` of github.ts.

import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

const [folder = '', ...given] = process.argv.slice(2)
const { words, flags } = readArguments(given)
const command = words.slice(0, 2).join(' ')

const pick = (fields) => (one) =>
  Object.fromEntries(Object.entries(one).filter(([name]) => fields.includes(name)))

const commonFields =
  'assignees author body closed closedAt comments createdAt id labels milestone number state title updatedAt url'
const fieldsOf = {
  issue: `${commonFields} isPinned projectCards projectItems reactionGroups stateReason`,
  pr: `${commonFields} additions autoMergeRequest baseRefName changedFiles commits deletions files headRefName headRefOid headRepository headRepositoryOwner isCrossRepository isDraft maintainerCanModify mergeCommit mergeStateStatus mergeable mergedAt mergedBy potentialMergeCommit projectCards projectItems reactionGroups reviewDecision reviewRequests reviews statusCheckRollup`,
  run: 'attempt conclusion createdAt databaseId displayTitle event headBranch headSha name number startedAt status updatedAt url workflowDatabaseId workflowName',
}

const commands = {
  'auth token': printToken,
  'issue list': () => list('issue'),
  'issue view': () => view('issue'),
  'issue comment': comment,
  'pr list': () => list('pr'),
  'pr view': () => view('pr'),
  'pr comment': comment,
  'pr create': createPullRequest,
  'run list': listRuns,
  'run view': viewRun,
}

appendFileSync(join(folder, 'calls.log'), `${JSON.stringify(given)}\n`)
if (words[0] === undefined && flags.version !== undefined) {
  process.stdout.write(
    'gh version 2.63.0 (2024-11-27)\nhttps://github.com/cli/cli/releases/tag/v2.63.0\n',
  )
  process.exit(0)
}
if (commands[command] === undefined) fail(`unknown command "${command}" for "gh"`)
const fault = takeFault()
if (fault?.when === 'before') end(fault)
await commands[command]()
if (fault?.when === 'after') end(fault)

/** It may have done its work, and its answer is lost. */
function end({ message = 'HTTP 502: Bad Gateway' }) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

function printToken() {
  if (existsSync(join(folder, 'logged-out'))) {
    fail(`no oauth token found for ${flags.hostname ?? 'github.com'}`)
  }
  process.stdout.write('gho_of_the_stand_in\n')
}

function list(kind) {
  const { state = 'open', limit = '30', label, head, base } = flags
  const isShown = (one) =>
    (state === 'all' || one.state === state.toUpperCase()) &&
    (label === undefined || one.labels.some(({ name }) => name === label)) &&
    (head === undefined || one.headRefName === head) &&
    (base === undefined || one.baseRefName === base)
  const all = repository()[kind === 'pr' ? 'pulls' : 'issues']
  print(
    kind,
    all
      .filter(isShown)
      .toSorted((a, b) => b.number - a.number)
      .slice(0, Number(limit)),
  )
}

function view(kind) {
  print(kind, find(Number(words[2]), kind))
}

function find(number, kind) {
  const { issues, pulls } = repository()
  // As gh does: commands of issues accept pull requests.
  const all = kind === 'pr' ? pulls : [...issues, ...pulls]
  const one = all.find((each) => each.number === number)
  if (one === undefined) {
    fail(
      `GraphQL: Could not resolve to an issue or pull request with the number of ${number}. (repository.issue)`,
    )
  }
  return one
}

function comment() {
  const body = readBody()
  let url = ''
  change((repo) => {
    const number = Number(words[2])
    const one = [...repo.issues, ...repo.pulls].find((each) => each.number === number)
    if (one === undefined) {
      fail(
        `GraphQL: Could not resolve to an issue or pull request with the number of ${number}. (repository.issue)`,
      )
    }
    url = `${one.url}#issuecomment-${repo.nextComment}`
    one.comments.push({
      id: `IC_${repo.nextComment}`,
      author: { login: 'operator' },
      authorAssociation: 'OWNER',
      body,
      createdAt: now(),
      includesCreatedEdit: false,
      isMinimized: false,
      minimizedReason: '',
      reactionGroups: [],
      url,
      viewerDidAuthor: true,
    })
    one.updatedAt = now()
    repo.nextComment += 1
  })
  process.stdout.write(`${url}\n`)
}

function createPullRequest() {
  const { head, base, title } = flags
  if (head === undefined || title === undefined) {
    fail('must provide `--title` and `--body` (or `--fill` or `fill-first` or `--fillverbose`)')
  }
  const body = readBody()
  let url = ''
  change((repo, slug) => {
    const open = repo.pulls.find((one) => one.headRefName === head && one.state === 'OPEN')
    if (open !== undefined) {
      fail(`a pull request for branch "${head}" into branch "${base}" already exists:\n${open.url}`)
    }
    const number = repo.nextNumber
    repo.nextNumber += 1
    url = `https://github.com/${slug}/pull/${number}`
    repo.pulls.push({
      number,
      title,
      body,
      url,
      state: 'OPEN',
      author: { id: 'U_1', is_bot: false, login: 'operator', name: '' },
      labels: [],
      comments: [],
      createdAt: now(),
      updatedAt: now(),
      isDraft: flags.draft !== undefined,
      headRefName: head,
      headRefOid: '0'.repeat(40),
      baseRefName: base ?? 'main',
      reviewDecision: '',
      mergeable: 'UNKNOWN',
      statusCheckRollup: [],
    })
  })
  process.stderr.write(`\nCreating pull request for ${head} into ${base}\n\n`)
  process.stdout.write(`${url}\n`)
}

function listRuns() {
  const { limit = '20', status, branch } = flags
  const runs = repository().runs.filter(
    (run) =>
      (status === undefined || run.conclusion === status || run.status === status) &&
      (branch === undefined || run.headBranch === branch),
  )
  print('run', runs.toSorted((a, b) => b.databaseId - a.databaseId).slice(0, Number(limit)))
}

function viewRun() {
  const run = repository().runs.find(({ databaseId }) => `${databaseId}` === words[2])
  if (run === undefined) fail('failed to get run: HTTP 404: Not Found')
  if (flags['log-failed'] === undefined && flags.log === undefined) return print('run', run)
  const file = join(folder, `log-${run.databaseId}.txt`)
  if (!existsSync(file)) fail('log not found')
  process.stdout.write(readFileSync(file))
}

function print(kind, value) {
  const fields = (flags.json ?? '').split(',').filter((one) => one !== '')
  if (fields.length === 0) fail('the stand-in prints lists only with --json')
  const known = fieldsOf[kind].split(' ')
  const unknown = fields.find((field) => !known.includes(field))
  if (unknown !== undefined) {
    fail(`Unknown JSON field: "${unknown}"\nAvailable fields:\n  ${known.toSorted().join('\n  ')}`)
  }
  const chosen = Array.isArray(value) ? value.map(pick(fields)) : pick(fields)(value)
  process.stdout.write(`${JSON.stringify(chosen)}\n`)
}

function readArguments(all) {
  const found = { words: [], flags: {} }
  const hasValue =
    /^--(hostname|repo|state|limit|label|json|head|base|title|body-file|status|branch)$/
  for (let at = 0; at < all.length; at++) {
    const [, name, value] = /^--([a-z-]+)(?:=([^]*))?$/.exec(all[at]) ?? []
    if (name === undefined) found.words.push(all[at])
    else if (value === undefined && hasValue.test(all[at])) found.flags[name] = all[++at]
    else found.flags[name] = value ?? ''
  }
  return found
}

function readBody() {
  if (flags['body-file'] !== '-') fail('the stand-in reads bodies from its input')
  return readFileSync(0, 'utf8')
}

/** Without the host, which gh accepts. */
function slugOf() {
  const slug = (flags.repo ?? '').split('/').slice(-2).join('/')
  if (!slug.includes('/')) fail('expected the "[HOST/]OWNER/REPO" format')
  return slug
}

function repository() {
  const repo = readState().repositories[slugOf()]
  if (repo === undefined) {
    fail(`GraphQL: Could not resolve to a Repository with the name '${slugOf()}'. (repository)`)
  }
  return repo
}

function readState() {
  return JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8'))
}

/** One process at a time. */
function change(work) {
  const lock = join(folder, 'lock')
  for (let tries = 0; ; tries++) {
    try {
      closeSync(openSync(lock, 'wx'))
      break
    } catch (error) {
      if (tries > 500) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
  try {
    const state = readState()
    if (state.repositories[slugOf()] === undefined) repository()
    work(state.repositories[slugOf()], slugOf())
    writeFileSync(join(folder, 'state.next'), JSON.stringify(state, undefined, 1))
    renameSync(join(folder, 'state.next'), join(folder, 'state.json'))
  } finally {
    rmSync(lock, { force: true })
  }
}

/** Each fault is a file `fault-<n>.json`, used once by the first command that it names. */
function takeFault() {
  for (let at = 0; at < 20; at++) {
    const file = join(folder, `fault-${at}.json`)
    if (!existsSync(file)) continue
    const planned = JSON.parse(readFileSync(file, 'utf8'))
    if (planned.command !== command) continue
    rmSync(file)
    return planned
  }
  return undefined
}

function now() {
  return `${new Date().toISOString().slice(0, 19)}Z`
}

function fail(message) {
  rmSync(join(folder, 'lock'), { force: true })
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
