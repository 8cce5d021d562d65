/** Restricts an agent to some tools: it neither sees the others, nor can it call them. */

import type { AgentContext, Risk, ToolLimits } from '../../loop/index.ts'

export function limitTools(context: AgentContext, limits: ToolLimits | undefined): AgentContext {
  if (limits === undefined) return context
  const list = async (): Promise<Awaited<ReturnType<AgentContext['tools']>>> =>
    (await context.tools()).filter((tool) => isAllowed(limits, tool))
  return {
    ...context,
    tools: list,
    async callTool(name, args) {
      const allowed = await list()
      if (allowed.some((tool) => tool.name === name)) return context.callTool(name, args)
      const names = allowed.map((tool) => tool.name).join(', ') || 'none'
      const output = `You may not call ${JSON.stringify(name.slice(0, 100))} here. The tools are: ${names}.`
      return { ok: false, error: 'not-allowed', output }
    },
  }
}

function isAllowed(
  { only, deny = [], allow = [], risks }: ToolLimits,
  { name, risk }: { readonly name: string; readonly risk: Risk },
): boolean {
  if (deny.includes(name) || only?.includes(name) === false) return false
  return allow.includes(name) || risks === undefined || risks.includes(risk)
}
