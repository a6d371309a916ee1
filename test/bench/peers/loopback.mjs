/** Preloaded into a gateway that listens on every interface: each of its servers listens on loopback. */
import { Server } from "node:net";

const { listen } = Server.prototype;

Server.prototype.listen = function listenOnLoopback(at, ...rest) {
  const callback = rest.find((each) => typeof each === "function");
  const options = typeof at === "object" ? at : { port: Number(at) };
  return listen.call(this, { ...options, host: "127.0.0.1" }, callback);
};
