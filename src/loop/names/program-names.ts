/** The agent programs that are known. Loop files name them; `agents/programs` drives them, a file each. */

export const programNames = ['claude', 'codex', 'opencode', 'gemini'] as const
/** The name of an agent program that is known. */
export type ProgramName = (typeof programNames)[number]
