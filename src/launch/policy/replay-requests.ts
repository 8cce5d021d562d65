/** What a policy would have been asked during a past run, in order, with the numbers of that moment. */

import {
  type ApplyProgress,
  evolve,
  initialState,
  type PolicyContext,
  type PolicyRequest,
  parseStepId,
  type RecordedEvent,
  type RunState,
  readStep,
  type StepStarted,
  type TreeId,
  toPolicyContext,
} from '../../loop/index.ts'

/** How many files of a tree differ from the base, and how many of them are sealed. */
export type CountFiles = (base: TreeId, tree: TreeId) => Promise<FileCounts>

export interface FileCounts {
  readonly filesChanged: number
  readonly sealedTouched: number
}

export interface PastRequest {
  readonly request: PolicyRequest
  /** Before what was asked about. */
  readonly state: RunState
}

const noFiles: FileCounts = { filesChanged: 0, sealedTouched: 0 }

/** Calls `onRequest` until it returns false, and returns the state at the end of the run. */
export async function replayRequests(
  run: string,
  events: readonly RecordedEvent[],
  countFiles: CountFiles | undefined,
  onRequest: (past: PastRequest) => boolean,
): Promise<RunState> {
  let state: RunState = initialState
  let isWanted = true
  for (const recorded of events) {
    const asked = isWanted ? askedAbout(recorded, state) : undefined
    if (asked !== undefined) {
      const context = await contextOf(state, asked.iteration, recorded, countFiles)
      const request = { ...asked.request, loop: state.loop, run, context }
      isWanted = onRequest({ request, state })
    }
    state = evolve(state, recorded, keepProgress)
  }
  return state
}

/** Rules do not see progress, and applying its changes takes most of the time. */
const keepProgress: ApplyProgress = (progress) => progress ?? null

type Asked = Pick<PolicyRequest, 'action' | 'agent' | 'tool' | 'actionKind'>

function askedAbout(
  { event }: RecordedEvent,
  { sandbox }: RunState,
): { readonly request: Asked; readonly iteration: number } | undefined {
  switch (event.type) {
    case 'iteration-started':
      return event.again
        ? undefined
        : { request: { action: 'iterate' }, iteration: event.iteration }
    case 'step-started':
      return requestOfGate(event)
    case 'step-noted': {
      const { note, iteration, step, role } = event
      if (note.type !== 'tool-called') return undefined
      const caller = parseStepId(step)
      const agent = role ?? (caller.kind === 'agent' ? caller.name : undefined)
      const request = {
        action: sandbox?.attended === true ? 'callTool' : 'callToolUnattended',
        tool: { name: note.tool, risk: riskOf(note.tool) },
        ...(agent === undefined ? {} : { agent }),
      } as const
      return { request, iteration }
    }
    default:
      return undefined
  }
}

function requestOfGate(
  event: StepStarted,
): { readonly request: Asked; readonly iteration: number } | undefined {
  const { kind, role } = readStep(event)
  if (kind !== 'gate' || role === undefined) return undefined
  return { request: { action: 'act', actionKind: role }, iteration: event.iteration }
}

/** Journals do not have the risk of a tool. Those of MCP servers count as destructive, as unlisted tools do. */
const risks: Readonly<Record<string, string>> = {
  read: 'read-only',
  list: 'read-only',
  glob: 'read-only',
  grep: 'read-only',
  write: 'idempotent',
  edit: 'idempotent',
}

const riskOf = (tool: string): string => risks[tool] ?? 'destructive'

async function contextOf(
  state: RunState,
  iteration: number,
  { event }: RecordedEvent,
  countFiles: CountFiles | undefined,
): Promise<PolicyContext> {
  const { baseTree: base } = state
  const tree = event.type === 'iteration-started' ? (event.tree ?? state.tree) : state.tree
  const isSame = base === undefined || tree === undefined || base === tree
  const files = isSame || countFiles === undefined ? noFiles : await countFiles(base, tree)
  return toPolicyContext(state, { iteration, tree, ...files, level: 2 })
}
