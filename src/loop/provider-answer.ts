/**
 * Classifies a model provider's refusal by its status and text. Pure and total. Also works for
 * proxies between an agent and a provider.
 */

export type ProviderResponseKind =
  | 'rate-limited'
  /** The same request may succeed later. */
  | 'transient'
  /** The conversation exceeds the model's context window. */
  | 'too-long'
  /** The key is invalid, or its account has no credit. */
  | 'not-allowed'
  | 'unknown-model'
  | 'refused'

/** For a status of 400 or more. */
export function classifyProviderResponse(status: number, text: string): ProviderResponseKind {
  if (/insufficient_quota|credit balance is too low|billing_hard_limit/i.test(text)) {
    return 'not-allowed'
  }
  if (status === 429) return 'rate-limited'
  if (status === 501 || status === 505) return 'refused'
  if (status >= 500 || status === 408 || status === 409) return 'transient'
  if (status === 401 || status === 403) return 'not-allowed'
  if ((status === 400 || status === 413 || status === 422) && tooLong.test(text)) return 'too-long'
  return status === 404 ? 'unknown-model' : 'refused'
}

const tooLong =
  /context[ _-]?(?:length|window)|too long|too large|too many (?:input )?tokens|maximum.{0,40}tokens|exceeds?.{0,60}tokens|token count.{0,40}exceeds/i
