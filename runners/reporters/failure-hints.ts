/** What the user can do about a failure, by its class; null where nothing general helps. */
export function failureHint(errorClass: string | null): string | null {
  return (errorClass === null ? undefined : hints[errorClass]) ?? null;
}

const hints: { readonly [errorClass: string]: string } = {
  auth: 'The server refused the key: check the variable that model.api_key_env names.',
  billing: 'The account has no credit left. Resume when it has.',
  rate_limit:
    'The server allows fewer requests: lower run.concurrency or raise model.retry_budget_s.',
  overloaded: 'The server is overloaded: lower run.concurrency, or resume later.',
  server_error: 'The model server failed by itself: look into its log.',
  timeout: 'Replies take longer than model.timeout_s: raise it, or lower model.max_tokens.',
  connection: 'Nothing answers at model.base_url: is the server running, and is the address right?',
  model_not_found:
    'The server does not know this model: check the name after the colon of model.use.',
  bad_request:
    'The server does not accept the request: a field of model.extra_body or a sampling option may be unknown to it.',
  payload_too_large:
    'The server, or a proxy before it, takes no request of this size: raise its limit, or shorten the prompt.',
  malformed:
    'The reply is empty, or not in the form of the protocol: is model.base_url an OpenAI-compatible address, with its /v1?',
  content_policy: "The provider's filter refused the prompt or the reply.",
  sandbox_unavailable: 'The sandbox could not be made: see sandbox.kind and sandbox.image.',
  environment_error: "The task's setup or files failed in the sandbox.",
  worker_crash:
    'This rollout killed its worker thread: memory is the usual reason; try fewer at once.',
  internal: 'This is a bug in Talaria: please report it with the message above.',
};
