// Loads the service for agents when the first of them asks: its library takes 30 MB of memory and 0.1 seconds.
import type { Exchange } from "../http/exchange.ts";
import type { Reply } from "../http/reply.ts";
import type { AgentsContext } from "./ask.ts";
import type { AgentsService } from "./service.ts";

export class Agents {
  readonly #context: AgentsContext;
  #service: Promise<AgentsService> | undefined;

  constructor(context: AgentsContext) {
    this.#context = context;
  }

  /** Answers a POST. @throws Refusal if its body is too large, too slow or no JSON; ClientGone */
  async answer(exchange: Exchange): Promise<Reply> {
    this.#service ??= import("./service.ts")
      .then(({ AgentsService }) => new AgentsService(this.#context))
      .catch((error: unknown) => {
        this.#service = undefined; // the next agent tries again
        throw error;
      });
    return (await this.#service).answer(exchange);
  }
}
