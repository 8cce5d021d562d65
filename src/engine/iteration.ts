/** The interface of the engine for a loop's code. Each call becomes a journaled step. */

import {
  type AgentReport,
  type AgentTask,
  type ArtifactContent,
  type ArtifactRef,
  type Branches,
  type BranchResults,
  defined,
  failedOnBase,
  type Iteration,
  LoopError,
  nameProblem,
  plainOutput,
  remaining,
  type StepOptions,
  type TodoList,
  type ToolResult,
  toJson,
} from '../loop/index.ts'
import { Interruption } from './interrupter.ts'
import { type Branch, createBranch } from './live-run.ts'
import { act, judge } from './steps/act.ts'
import { askPerson, sleepStep } from './steps/ask-person.ts'
import { askStep } from './steps/ask-step.ts'
import { certifyFiles } from './steps/certify-files.ts'
import { createFileGuard } from './steps/file-guard.ts'
import { limitTools } from './steps/limit-tools.ts'
import { required, runChecks } from './steps/run-check.ts'
import { runCommand } from './steps/run-command.ts'
import { agentGuidance, takeGuidance } from './steps/take-guidance.ts'
import { agentContext, callTool, toolContext } from './steps/tool-calls.ts'
import { fingerprintOf, isTried } from './steps/tried-before.ts'
import { watchTodo } from './steps/watch-todo.ts'
import { createIterationWorkspace } from './workspace/iteration-workspace.ts'

const branchesMax = 1000

export function createIteration(branch: Branch): Iteration {
  const { number, run, interrupter } = branch.iteration
  const { ports, recorder } = run
  return {
    number,
    signal: interrupter.draining,
    get workspace() {
      return createIterationWorkspace(run)
    },
    budget: { remaining: () => remaining(recorder.state) },
    failedBefore: failedOnBase(recorder.state),
    guidance: () => handled(takeGuidance(branch)),
    // The result comes from the journal; the author vouches for its type.
    step: <T>(...[name, code, options = {}]: Parameters<Iteration['step']>) =>
      askStep(branch, {
        kind: 'step',
        name,
        options,
        files: options.readOnly === true ? 'nothing' : 'changes',
        run: code,
      }) as Promise<T>,
    parallel: (branches) => runParallel(branch, branches),
    agent: (role, task, options = {}) => runAgent(branch, role, task, options),
    tool: async (name, args, options = {}) => {
      const tools = required(ports.tools, `the tool "${name}"`)
      const call = { name, args: toJson(args) }
      let made = false
      const result = (await askStep(branch, {
        kind: 'tool',
        name,
        options,
        files: options.readOnly === true ? 'nothing' : 'changes',
        run(context, id) {
          made = true
          return callTool(branch, { step: id }, tools, call, toolContext(branch, context))
        },
      })) as unknown as ToolResult
      const at = { iteration: number, workspace: ports.workspace?.path }
      if (!made) tools.replayed?.(name, call.args, result, at)
      return result
    },
    command: (name, task, options = {}) => runCommand(branch, name, task, options),
    check: (names) => runChecks(branch, names ?? Object.keys(ports.checks ?? {})),
    ask: (name, question) => handled(askPerson(branch, name, question)),
    act: (action, options) => handled(act(branch, action, options)),
    judge: (action, options) => handled(judge(branch, action, options)),
    certify: (names) => handled(certifyFiles(branch, names)),
    sleep: (name, ms) => handled(sleepStep(branch, name, ms)),
    artifact: async (name, content) => {
      const kept = await askStep(branch, {
        kind: 'artifact',
        name,
        // A stream can be read only once: a second attempt would store what is left of it.
        options: isWhole(content) ? {} : { retry: { attempts: 1 } },
        files: 'nothing',
        run: async () => ({ name, ...(await ports.blobs.put(content)) }),
        finished: (result) => ({ names: [(result as unknown as ArtifactRef).blob] }),
      })
      return kept as unknown as ArtifactRef
    },
  }
}

/** Prevents an unhandled rejection if the code does not await it; the failure is journaled. */
function handled<T>(asked: Promise<T>): Promise<T> {
  asked.catch(() => undefined)
  return asked
}

async function runAgent(
  branch: Branch,
  role: string,
  task: AgentTask,
  options: StepOptions,
): Promise<AgentReport> {
  const { run } = branch.iteration
  const agents = required(run.ports.agents, `an agent for the role "${role}"`)
  let fingerprint: string | undefined
  const report = await askStep(branch, {
    kind: 'agent',
    name: role,
    options,
    files: options.readOnly === true ? 'nothing' : 'changes',
    fingerprint(id) {
      fingerprint = fingerprintOf(run, id, role, task)
      return fingerprint
    },
    run: async (context, id) => {
      const guard = createFileGuard(run)
      const whole = agentContext(branch, id, context, { agent: role, ...defined({ guard }) })
      const base = limitTools(whole, options.tools)
      // An agent that may only read judges the work; it is not the one to tell what to do.
      const guided =
        options.readOnly === true ? base : { ...base, guidance: agentGuidance(branch, id) }
      const { context: watched, last } = watchTodo(guided)
      const made = withPlainText(await agents.work(role, task, watched))
      return withObserved(made, { refusedFile: guard?.refused(), todo: last() })
    },
    finished: (result) => (fingerprint !== undefined && isTried(result) ? { fingerprint } : {}),
  })
  return noted(branch, report as unknown as AgentReport)
}

/** A report is shown in events, prompts and terminals, and custom agents may return anything. */
const withPlainText = (report: AgentReport): AgentReport =>
  typeof report?.text === 'string' ? { ...report, text: plainOutput(report.text) } : report

/** Observed by the engine, not claimed by the agent. */
function withObserved(
  report: AgentReport,
  {
    refusedFile,
    todo,
  }: { readonly refusedFile: string | undefined; readonly todo: TodoList | undefined },
): AgentReport {
  if (typeof report !== 'object' || report === null) return report
  const { refusedFile: _claimed, todo: _told, ...rest } = report
  return { ...rest, ...defined({ refusedFile, todo }) }
}

/** Applied to recorded reports too. */
function noted(branch: Branch, report: AgentReport): AgentReport {
  branch.iteration.report = report.text
  branch.iteration.refusedFile ??= report?.refusedFile
  return report
}

const isWhole = (content: ArtifactContent): boolean =>
  typeof content === 'string' || content instanceof Uint8Array

/** Waits for all branches, then throws the first failure in the order of delivery. */
async function runParallel<B extends Branches>(
  parent: Branch,
  branches: B,
): Promise<BranchResults<B>> {
  const { delivery } = parent.iteration
  const index = parent.parallels++
  const names = Object.keys(branches)
  if (names.length > branchesMax) {
    const message = `${names.length} parallel branches are too many; the limit is ${branchesMax}. Run them in several batches.`
    throw new LoopError('bad-request', message)
  }
  for (const name of names) {
    const problem = nameProblem(name)
    if (problem !== undefined) {
      throw new LoopError(
        'bad-name',
        `A branch cannot be named ${JSON.stringify(name)}: ${problem}. Choose another name.`,
      )
    }
  }
  const failures: unknown[] = []
  delivery.enterParallel()
  try {
    const entries = await Promise.all(
      Object.entries(branches).map(async ([name, work]): Promise<[string, unknown]> => {
        const branch = createBranch(parent.iteration, `${parent.path}${index}.${name}/`)
        try {
          return [name, await work(createIteration(branch))]
        } catch (error) {
          failures.push(error)
          return [name, undefined]
        }
      }),
    )
    if (failures.length === 0) return Object.fromEntries(entries) as BranchResults<B>
    throw failures.find((error) => error instanceof Interruption) ?? failures[0]
  } finally {
    delivery.leaveParallel()
  }
}
